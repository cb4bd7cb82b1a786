// LOINC as Regenstrief publishes it: the table of terms, parts, answer lists and the hierarchy, each a CSV
// (loinc.org/kb/users-guide; terminology.hl7.org/LOINC.html for the properties).
import type { Json } from '../../json.ts';
import { listed } from '../../messages.ts';
import { type Assembly, FileUnreadable } from '../assembly.ts';
import type { ReleaseReading } from './reading.ts';
import { cellReader, openTable } from './table-rows.ts';

const LOINC = 'http://loinc.org';

const HEAD: Json = {
  url: LOINC,
  name: 'LOINC',
  title: 'LOINC',
  publisher: 'Regenstrief Institute, Inc.',
  copyright: 'LOINC is copyright of Regenstrief Institute, Inc. Its licence is at https://loinc.org/license.',
  caseSensitive: false,
  language: 'en',
  valueSet: `${LOINC}/vs`,
};

/** The columns of a term that name a part, and the types of those parts. */
const PART_TYPES: Readonly<Record<string, string>> = {
  COMPONENT: 'COMPONENT',
  PROPERTY: 'PROPERTY',
  TIME_ASPCT: 'TIME',
  SYSTEM: 'SYSTEM',
  SCALE_TYP: 'SCALE',
  METHOD_TYP: 'METHOD',
  CLASS: 'CLASS',
};
/** Columns that are names, definitions or the code, and no properties. */
const OWN_COLUMNS = new Set([
  'LOINC_NUM',
  'LONG_COMMON_NAME',
  'SHORTNAME',
  'CONSUMER_NAME',
  'DisplayName',
  'DefinitionDescription',
]);
const NAMES = ['SHORTNAME', 'CONSUMER_NAME', 'DisplayName'];

const OWN_PROPERTIES: readonly Json[] = [
  { code: 'inactive', uri: 'http://hl7.org/fhir/concept-properties#inactive', type: 'boolean' },
  { code: 'answer-list', description: 'An answer list of the term', type: 'code' },
  { code: 'LIST', description: 'An answer list that has the answer', type: 'code' },
  { code: 'PartTypeName', description: 'The type of the part', type: 'string' },
];

/** @throws FileUnreadable, ReadingStopped */
export async function readLoinc(reading: ReleaseReading): Promise<Assembly> {
  const find = (...names: readonly string[]) =>
    reading.names.find((each) => names.some((name) => each.split('/').at(-1)?.toLowerCase() === name.toLowerCase()));
  const terms = find('Loinc.csv');
  if (terms === undefined) throw new FileUnreadable(1, 'the release has no file Loinc.csv');
  const [parts, answers] = [find('Part.csv'), find('AnswerList.csv')];
  const links = find('LoincAnswerListLink.csv');
  const hierarchy = find('ComponentHierarchyBySystem.csv', 'MultiAxialHierarchy.csv');
  // The table of terms is the first, so that an error in the head is one of it.
  reading.use([terms, parts, answers, links, hierarchy].flatMap((name) => name ?? []));
  const partCodes = parts === undefined ? new Map() : await readPartCodes(reading, parts);
  const listsOf = links === undefined ? new Map() : await readLinks(reading, links);
  const assembly = await readTerms(reading, terms, { partCodes, listsOf });
  if (parts !== undefined) await readParts(reading, parts);
  if (answers !== undefined) await readAnswers(reading, answers);
  if (hierarchy !== undefined) await readHierarchy(reading, hierarchy);
  return assembly;
}

type PartCodes = ReadonlyMap<string, string>;

const keyOfPart = (type: string, name: string) => `${type} ${name}`;

/** The codes of parts by type and name; of equal names an active one. */
async function readPartCodes(reading: ReleaseReading, name: string): Promise<PartCodes> {
  const { columns, rows } = await openTable(reading, name);
  const cell = cellReader(columns);
  const found = new Map<string, string>();
  for await (const row of rows) {
    const key = keyOfPart(cell(row, 'PartTypeName'), cell(row, 'PartName'));
    if (!found.has(key) || cell(row, 'Status') === 'ACTIVE') found.set(key, cell(row, 'PartNumber'));
  }
  return found;
}

/** The answer lists of each term. */
async function readLinks(reading: ReleaseReading, name: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { columns, rows } = await openTable(reading, name);
  const cell = cellReader(columns);
  const found = new Map<string, string[]>();
  for await (const row of rows) {
    const [term, list] = [cell(row, 'LoincNumber'), cell(row, 'AnswerListId')];
    const lists = found.get(term) ?? [];
    if (!lists.includes(list)) found.set(term, [...lists, list]);
  }
  return found;
}

interface TermLinks {
  readonly partCodes: PartCodes;
  readonly listsOf: ReadonlyMap<string, readonly string[]>;
}

async function readTerms(reading: ReleaseReading, name: string, links: TermLinks): Promise<Assembly> {
  const { columns, rows } = await openTable(reading, name);
  const cell = cellReader(columns);
  const headLine = reading.lineIn(name, 1);
  // Without STATUS no term would be inactive.
  const missing = ['LOINC_NUM', 'LONG_COMMON_NAME', 'STATUS'].filter((required) => !columns.includes(required));
  if (missing.length > 0) throw new FileUnreadable(headLine, `there is no column ${listed(missing, 'or')}`);
  const properties = columns.filter((column) => column !== '' && !OWN_COLUMNS.has(column));
  const assembly = reading.begin({ ...HEAD, ...versionOf(reading), property: definitionsOf(properties) }, headLine);
  for await (const row of rows) {
    const [code, status] = [cell(row, 'LOINC_NUM'), cell(row, 'STATUS')];
    const own = properties.flatMap((column) => propertyOf(column, cell(row, column), links.partCodes));
    const lists = links.listsOf.get(code) ?? [];
    const concept = {
      code,
      ...textMember('display', cell(row, 'LONG_COMMON_NAME')),
      ...textMember('definition', cell(row, 'DefinitionDescription')),
      designation: NAMES.flatMap((column) => designationOf(column, cell(row, column))),
      property: [
        ...own,
        ...lists.map((valueCode) => ({ code: 'answer-list', valueCode })),
        ...(status === 'DEPRECATED' ? [{ code: 'inactive', valueBoolean: true }] : []),
      ],
    };
    assembly.addConcept(concept, row.line);
  }
  return assembly;
}

function definitionsOf(columns: readonly string[]): Json[] {
  const ofColumns = columns.map((code) => ({ code, type: PART_TYPES[code] === undefined ? 'string' : 'Coding' }));
  return [...ofColumns, ...OWN_PROPERTIES];
}

/** The version in the name of a file or folder, such as `Loinc_2.99`. */
/** The version in the name of the release: of a folder in it, or of what was named to be imported. */
function versionOf({ names, options, name }: ReleaseReading): Json {
  const found = [...names, name]
    .map((name) => /Loinc_?(\d+\.\d+)/i.exec(name)?.[1])
    .find((version) => version !== undefined);
  return options.version === undefined && found !== undefined ? { version: found } : {};
}

function textMember(name: string, value: string): Json {
  return value === '' ? {} : { [name]: value };
}

function propertyOf(code: string, value: string, partCodes: PartCodes): Json[] {
  if (value === '') return [];
  const type = PART_TYPES[code];
  const part = type === undefined ? undefined : partCodes.get(keyOfPart(type, value));
  if (part === undefined) return [{ code, valueString: value }];
  return [{ code, valueCoding: { system: LOINC, code: part, display: value } }];
}

function designationOf(column: string, value: string): Json[] {
  return value === '' ? [] : [{ language: 'en', use: { system: LOINC, code: column }, value }];
}

async function readParts(reading: ReleaseReading, name: string): Promise<void> {
  const { columns, rows } = await openTable(reading, name);
  const cell = cellReader(columns);
  for await (const row of rows) {
    const [display, status] = [cell(row, 'PartDisplayName') || cell(row, 'PartName'), cell(row, 'Status')];
    const property = [
      ...propertyOf('PartTypeName', cell(row, 'PartTypeName'), NO_PARTS),
      ...propertyOf('STATUS', status, NO_PARTS),
      ...(status === 'DEPRECATED' || status === 'INACTIVE' ? [{ code: 'inactive', valueBoolean: true }] : []),
    ];
    reading.assembly.addConcept(
      { code: cell(row, 'PartNumber'), ...textMember('display', display), property },
      row.line,
    );
  }
}

const NO_PARTS: PartCodes = new Map();

interface Answer {
  readonly line: number;
  readonly display: string;
  readonly lists: string[];
}

/** Lists and their answers. An answer may be in many lists: it is added when all rows have been read. */
async function readAnswers(reading: ReleaseReading, name: string): Promise<void> {
  const { columns, rows } = await openTable(reading, name);
  const cell = cellReader(columns);
  const answers = new Map<string, Answer>();
  let current = '';
  for await (const row of rows) {
    const [list, answer] = [cell(row, 'AnswerListId'), cell(row, 'AnswerStringId')];
    if (list !== current && reading.assembly.find(list) === -1)
      reading.assembly.addConcept({ code: list, ...textMember('display', cell(row, 'AnswerListName')) }, row.line);
    current = list;
    if (answer === '') continue;
    const known = answers.get(answer) ?? { line: row.line, display: cell(row, 'DisplayText'), lists: [] };
    answers.set(answer, known);
    if (!known.lists.includes(list)) known.lists.push(list);
  }
  for (const [code, { line, display, lists }] of answers) {
    const property = lists.map((valueCode) => ({ code: 'LIST', valueCode }));
    reading.assembly.addConcept({ code, ...textMember('display', display), property }, line);
  }
}

/** A code is in a row for each path to it, which may repeat its parent. */
async function readHierarchy(reading: ReleaseReading, name: string): Promise<void> {
  const { assembly } = reading;
  const { columns, rows } = await openTable(reading, name);
  const cell = cellReader(columns);
  const linked = new Set<string>();
  for await (const row of rows) {
    const [code, parent] = [cell(row, 'CODE'), cell(row, 'IMMEDIATE_PARENT')];
    let place = assembly.find(code);
    if (place === -1 && code.startsWith('LP'))
      place = assembly.addConcept({ code, ...textMember('display', cell(row, 'CODE_TEXT')) }, row.line);
    if (place === -1) assembly.issue(row.line, `the code ${code} is in no table of the release`);
    else if (parent !== '' && !linked.has(`${place} ${parent}`)) {
      linked.add(`${place} ${parent}`);
      assembly.addParent(place, parent);
    }
  }
}
