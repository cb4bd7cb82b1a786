// The tables of Socialstyrelsen (ICD-10-SE, KVÅ) and of ATC.
import type { TableFormat } from './table-format.ts';

const SWEDISH: Omit<TableFormat, 'head'> = {
  code: ['Kod'],
  display: ['Titel', 'Benämning', 'Text'],
  definition: ['Beskrivning', 'Beskrivningstext'],
  parent: ['Överordnad kod'],
  designations: { Latin: 'la' },
  properties: {
    'Giltig från': 'valid-from',
    'Giltig till': 'valid-to',
    Exempel: 'example',
    Innefattar: 'inclusion',
    Utesluter: 'exclusion',
    Anmärkning: 'note',
    Kodningsinformation: 'coding-hint',
    Innehåll: 'content',
    'Manifestation(*)/Etiologi(†)': 'manifestation-or-aetiology',
    'Koppling Manifestation(*)/Etiologi(†)': 'linked-code',
    'Ej huvuddiagnos': 'not-main-diagnosis',
    'Kodnivå - kodspecifikation': 'code-level',
  },
};

export const ICD_10_SE: TableFormat = {
  ...SWEDISH,
  head: {
    name: 'ICD10SE',
    title: 'ICD-10-SE',
    publisher: 'Socialstyrelsen',
    copyright: 'ICD-10-SE is published by Socialstyrelsen. ICD-10 is copyright of the World Health Organization.',
    caseSensitive: true,
    language: 'sv',
  },
};

export const KVA: TableFormat = {
  ...SWEDISH,
  head: {
    name: 'KVA',
    title: 'KVÅ, klassifikation av vårdåtgärder',
    publisher: 'Socialstyrelsen',
    copyright: 'KVÅ is published by Socialstyrelsen.',
    caseSensitive: true,
    language: 'sv',
  },
};

export const ATC: TableFormat = {
  head: {
    url: 'http://www.whocc.no/atc',
    name: 'ATC',
    title: 'ATC, Anatomical Therapeutic Chemical classification',
    publisher: 'WHO Collaborating Centre for Drug Statistics Methodology',
    copyright:
      'ATC is copyright of the WHO Collaborating Centre for Drug Statistics Methodology, Oslo. Its use is subject to the terms at https://atcddd.fhi.no.',
    caseSensitive: true,
  },
  code: ['ATC code', 'ATC-kod', 'ATC', 'Code', 'Kod'],
  display: ['ATC level name', 'ATC name', 'Level name', 'Name', 'Benämning', 'Titel'],
  definition: ['Definition'],
  parent: ['Parent', 'Överordnad kod'],
  designations: { 'Name sv': 'sv', 'Name en': 'en' },
  properties: { Comment: 'comment' },
  combined: {
    code: 'ddd',
    title: 'Defined daily dose: amount, unit, route of administration, note',
    columns: ['DDD', 'U', 'UOM', 'Unit', 'Adm.R', 'Adm route', 'Note'],
  },
};
