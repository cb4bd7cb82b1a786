// Generates a release in RF2 in the shape of SNOMED CT, of any size and the same each time. It has sections with a
// hierarchy of several parents, attributes in groups, names in two languages with their dialects, and a reference set.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { withCheckDigit } from '#fhir/terminology/import/rf2/sctid.ts';
import { mixed, partOf } from './large-code-system.ts';

const MODULE = withCheckDigit('220000000010');
const CORE = '900000000000207008';
const DATE = '20260131';
const ROOT = '138875005';
const IS_A = '116680003';

interface Section {
  readonly name: string;
  /** The share of all concepts. */
  readonly share: number;
}

const SECTIONS = [
  { name: 'finding', share: 0.45 },
  { name: 'procedure', share: 0.2 },
  { name: 'structure', share: 0.13 },
  { name: 'substance', share: 0.1 },
  { name: 'morphology', share: 0.06 },
  { name: 'organism', share: 0.06 },
] as const satisfies readonly Section[];
type SectionName = (typeof SECTIONS)[number]['name'];

/** Attributes, and the section of their values. */
const ATTRIBUTES = {
  site: 'structure',
  shape: 'morphology',
  cause: 'organism',
  agent: 'substance',
  due: 'finding',
} as const;
type AttributeName = keyof typeof ATTRIBUTES;
const DOSE = 'dose';
const NAMES = [...Object.keys(ATTRIBUTES), DOSE];
const FIRST = 100;

export const attributeId = (name: AttributeName | typeof DOSE): string =>
  withCheckDigit(`55${10_001 + NAMES.indexOf(name)}00`);
export const REFSET = withCheckDigit('551999900');

/** The identifiers of a release of the size. */
export class LargeSnomed {
  readonly size: number;
  readonly #starts = new Map<string, { readonly start: number; readonly end: number }>();

  constructor(size: number) {
    this.size = size;
    let start = FIRST;
    for (const { name, share } of SECTIONS) {
      const end = start + Math.max(2, Math.floor((size - FIRST) * share));
      this.#starts.set(name, { start, end });
      start = end;
    }
  }

  /** The identifier of a concept of a section by its number in it, from 0. */
  id(section: SectionName, number: number): string {
    return idOf(this.range(section).start + number);
  }

  range(section: SectionName): { readonly start: number; readonly end: number } {
    return this.#starts.get(section) ?? { start: FIRST, end: FIRST };
  }

  count(section: SectionName): number {
    const { start, end } = this.range(section);
    return end - start;
  }
}

/** The identifier of a concept by its number among all. */
function idOf(number: number): string {
  return withCheckDigit(`${7_000_000 + number}00`);
}

const BRANCHES = 6;

/** Numbers of the parents within the section: of the first there are none. */
function parentsOf(number: number): number[] {
  if (number === 0) return [];
  const chance = mixed(number);
  const first = Math.floor((number - 1) / BRANCHES);
  return chance % 3 === 0 && number > 50 ? [first, (chance >>> 4) % Math.floor(number / 2)] : [first];
}

function attributesOf(
  release: LargeSnomed,
  section: SectionName,
  number: number,
): [group: number, name: AttributeName, target: string][] {
  const chance = mixed(number + 7);
  const value = (name: AttributeName, seed: number): [AttributeName, string] => {
    const of = ATTRIBUTES[name];
    return [name, release.id(of, mixed(seed) % release.count(of))];
  };
  const group = (at: number, ...names: AttributeName[]): [number, AttributeName, string][] =>
    names.map((name) => [at, ...value(name, chance + at * 31 + name.length)]);
  if (section === 'finding') {
    const second = chance % 3 === 0 ? group(2, 'site', 'shape') : [];
    return [
      ...group(1, 'site', 'shape'),
      ...second,
      ...(chance % 4 === 0 ? group(0, 'due') : []),
      ...(chance % 5 === 0 ? group(1, 'cause') : []),
    ];
  }
  if (section === 'procedure') return [...group(1, 'site'), ...(chance % 2 === 0 ? group(1, 'agent') : [])];
  return [];
}

const COMMON = ['id', 'effectiveTime', 'active', 'moduleId'];
const FILES = {
  concept: ['sct2_Concept_Snapshot', [...COMMON, 'definitionStatusId']],
  english: [
    'sct2_Description_Snapshot-en',
    [...COMMON, 'conceptId', 'languageCode', 'typeId', 'term', 'caseSignificanceId'],
  ],
  swedish: [
    'sct2_Description_Snapshot-sv',
    [...COMMON, 'conceptId', 'languageCode', 'typeId', 'term', 'caseSignificanceId'],
  ],
  language: ['der2_cRefset_LanguageSnapshot-en', [...COMMON, 'refsetId', 'referencedComponentId', 'acceptabilityId']],
  relationship: [
    'sct2_Relationship_Snapshot',
    [...COMMON, 'sourceId', 'destinationId', 'relationshipGroup', 'typeId', 'characteristicTypeId', 'modifierId'],
  ],
  concrete: [
    'sct2_RelationshipConcreteValues_Snapshot',
    [...COMMON, 'sourceId', 'value', 'relationshipGroup', 'typeId', 'characteristicTypeId', 'modifierId'],
  ],
  simple: ['der2_Refset_SimpleSnapshot', [...COMMON, 'refsetId', 'referencedComponentId']],
  dependency: [
    'der2_ssRefset_ModuleDependencySnapshot',
    [...COMMON, 'refsetId', 'referencedComponentId', 'sourceEffectiveTime', 'targetEffectiveTime'],
  ],
} as const;
type FileName = keyof typeof FILES;

interface Writers {
  readonly put: (file: FileName, cells: readonly string[]) => void;
}

const [FSN, SYNONYM] = ['900000000000003001', '900000000000013009'];
const [PREFERRED, ACCEPTABLE] = ['900000000000548007', '900000000000549004'];
const [AMERICAN, BRITISH, SWEDISH] = ['900000000000509007', '900000000000508004', '46011000052107'];
const [INFERRED, EXISTENTIAL] = ['900000000000011006', '900000000000451002'];
const [PRIMITIVE, DEFINED] = ['900000000000074008', '900000000000073002'];
const WORDS = ['acute', 'chronic', 'open', 'closed', 'left', 'right', 'recurrent', 'congenital', 'severe', 'mild'];
const WORDS_SV = [
  'akut',
  'kronisk',
  'öppen',
  'sluten',
  'vänster',
  'höger',
  'återkommande',
  'medfödd',
  'svår',
  'lindrig',
];

class ReleaseRows {
  readonly #put: Writers['put'];
  #count = 0;

  constructor({ put }: Writers) {
    this.#put = put;
  }

  #common(partition: string): string[] {
    this.#count += 1;
    return [withCheckDigit(`${1_000_000 + this.#count}${partition}`), DATE, '1', MODULE];
  }

  #member(): string[] {
    this.#count += 1;
    return [`00000000-0000-5000-8000-${String(this.#count).padStart(12, '0')}`, DATE, '1', MODULE];
  }

  concept(id: string, isDefined: boolean, isActive: boolean): void {
    this.#put('concept', [id, DATE, isActive ? '1' : '0', MODULE, isDefined ? DEFINED : PRIMITIVE]);
  }

  name(
    concept: string,
    term: string,
    { type, isSwedish = false, isPreferred = true }: { type: string; isSwedish?: boolean; isPreferred?: boolean },
  ): void {
    const common = this.#common('01');
    this.#put(isSwedish ? 'swedish' : 'english', [
      ...common,
      concept,
      isSwedish ? 'sv' : 'en',
      type,
      term,
      '900000000000448009',
    ]);
    const acceptability = isPreferred ? PREFERRED : ACCEPTABLE;
    for (const refset of isSwedish ? [SWEDISH] : [AMERICAN, BRITISH])
      this.#put('language', [...this.#member(), refset, common[0] ?? '', acceptability]);
  }

  relation(source: string, target: string, { type, group = 0 }: { type: string; group?: number }): void {
    const file = target.startsWith('#') ? 'concrete' : 'relationship';
    this.#put(file, [...this.#common('02'), source, target, String(group), type, INFERRED, EXISTENTIAL]);
  }

  member(concept: string): void {
    this.#put('simple', [...this.#member(), REFSET, concept]);
  }

  dependency(): void {
    this.#put('dependency', [...this.#member(), '900000000000534007', CORE, DATE, DATE]);
  }
}

function writeMetadata(rows: ReleaseRows): void {
  const add = (id: string, term: string): void => {
    rows.concept(id, false, true);
    rows.name(id, `${term} (metadata)`, { type: FSN });
    rows.name(id, term, { type: SYNONYM });
    if (id !== ROOT) rows.relation(id, ROOT, { type: IS_A });
  };
  add(ROOT, 'Root');
  add(IS_A, 'Is a');
  for (const name of NAMES) add(attributeId(name as AttributeName), `Attribute ${name}`);
  add(REFSET, 'Favourites');
  rows.dependency();
}

function writeConcept(
  rows: ReleaseRows,
  release: LargeSnomed,
  { section, number }: { section: SectionName; number: number },
): void {
  const id = release.id(section, number);
  const chance = mixed(release.range(section).start + number);
  const isActive = number < 100 || chance % 40 !== 0;
  const [word, part, serial] = [chance % WORDS.length, partOf((chance >>> 6) & 4095), (chance >>> 18) % 1000];
  rows.concept(id, chance % 3 === 0, isActive);
  const title = `${WORDS[word]} ${section} of ${part}, form ${serial}`;
  rows.name(id, `${title} (${section})`, { type: FSN });
  rows.name(id, title, { type: SYNONYM });
  if (chance % 2 === 0) rows.name(id, `${part} ${section}, ${WORDS[word]}`, { type: SYNONYM, isPreferred: false });
  rows.name(id, `${WORDS_SV[word]} ${section} i ${part} ${serial}`, { type: SYNONYM, isSwedish: true });
  if (chance % 50 === 1) rows.member(id);
  if (!isActive) return;
  const parents = parentsOf(number).map((parent) => release.id(section, parent));
  // A parent may be inactive: then the top of the section is in its place.
  const isThere = (parent: number): boolean => parent < 100 || mixed(release.range(section).start + parent) % 40 !== 0;
  const known = parentsOf(number).some(isThere)
    ? parents.filter((_, at) => isThere(parentsOf(number)[at] ?? 0))
    : [number === 0 ? ROOT : release.id(section, 0)];
  for (const parent of new Set(known)) rows.relation(id, parent, { type: IS_A });
  for (const [group, name, target] of attributesOf(release, section, number))
    rows.relation(id, target, { type: attributeId(name), group });
  if (section === 'substance' && chance % 3 === 0) rows.relation(id, `#${chance % 500}`, { type: attributeId(DOSE) });
}

/** Writes the release into the folder; answers its identifiers. */
export async function writeLargeSnomed(folder: string, size: number): Promise<LargeSnomed> {
  const snapshot = path.join(folder, 'Snapshot');
  await mkdir(snapshot, { recursive: true });
  const names = Object.keys(FILES) as FileName[];
  const streams = new Map(
    names.map((name) => [name, createWriteStream(path.join(snapshot, `${FILES[name][0]}_XX_${DATE}.txt`))]),
  );
  const held = new Map<FileName, string>(names.map((name) => [name, `${FILES[name][1].join('\t')}\r\n`]));
  const flush = async (): Promise<void> => {
    for (const [name, text] of held) {
      const stream = streams.get(name);
      held.set(name, '');
      if (text !== '' && stream?.write(text) === false) await once(stream, 'drain');
    }
  };
  const release = new LargeSnomed(size);
  const rows = new ReleaseRows({ put: (name, cells) => held.set(name, `${held.get(name)}${cells.join('\t')}\r\n`) });
  writeMetadata(rows);
  for (const { name: section } of SECTIONS) {
    for (let number = 0; number < release.count(section); number += 1) {
      writeConcept(rows, release, { section, number });
      if (number % 500 === 499) await flush();
    }
  }
  await flush();
  for (const stream of streams.values()) {
    stream.end();
    await once(stream, 'close');
  }
  return release;
}
