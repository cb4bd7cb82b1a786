// Classifications that are published as one table, or a few of the same form: ICD-10-SE, KVÅ and ATC. A code may have
// several rows, of which the later ones add to it.
import type { Json } from '../../json.ts';
import { type Assembly, FileUnreadable } from '../assembly.ts';
import { parentsByPrefix } from './prefix-hierarchy.ts';
import type { ReleaseReading } from './reading.ts';
import { openTable, placeOfColumn, type TableRow } from './table-rows.ts';

export interface TableFormat {
  /** What the format says of the code system. */
  readonly head: Json;
  /** Names of the columns; the first that is there counts. */
  readonly code: readonly string[];
  readonly display: readonly string[];
  readonly definition: readonly string[];
  readonly parent: readonly string[];
  /** Names in other languages, by column. */
  readonly designations: Readonly<Record<string, string>>;
  /** The codes of properties by column; a column that is not named here has a code made of its name. */
  readonly properties: Readonly<Record<string, string>>;
  /** A property whose value is made of the cells of several columns. */
  readonly combined?: { readonly code: string; readonly title: string; readonly columns: readonly string[] };
}

const IS_TABLE = /\.(?:csv|tsv|txt)(?:\.gz)?$/i;
const IS_DATE = /^\d{4}(?:-\d{2}(?:-\d{2})?)?$/;

/** @throws FileUnreadable, ReadingStopped */
export async function readTables(reading: ReleaseReading, format: TableFormat): Promise<Assembly> {
  const names = reading.names.filter((name) => IS_TABLE.test(name));
  if (names.length === 0) throw new FileUnreadable(1, 'there is no table: a file .csv, .tsv or .txt');
  reading.use(names);
  const tables: { readonly rows: AsyncGenerator<TableRow>; readonly layout: Layout }[] = [];
  for (const name of names) {
    const { columns, rows } = await openTable(reading, name);
    tables.push({ rows, layout: layoutOf(columns, format, reading.lineIn(name, 1)) });
  }
  const layouts = tables.map(({ layout }) => layout);
  const assembly = reading.begin({ ...format.head, ...propertiesOf(layouts) }, reading.lineIn(names[0] ?? '', 1));
  const codes: string[] = [];
  for (const { rows, layout } of tables) {
    for await (const concept of grouped(rows, layout, assembly)) {
      assembly.addConcept(concept.json(), concept.line, { parents: concept.parents });
      codes.push(concept.code);
    }
  }
  if (layouts.every(({ parent }) => parent === -1)) addParents(assembly, codes);
  return assembly;
}

function addParents(assembly: Assembly, codes: readonly string[]): void {
  const parentOf = parentsByPrefix(codes);
  for (const code of codes) {
    const [parent, place] = [parentOf(code), assembly.find(code)];
    if (parent !== undefined && place !== -1) assembly.addParent(place, parent);
  }
}

interface Layout {
  readonly code: number;
  readonly display: number;
  readonly definition: number;
  readonly parent: number;
  /** By place. */
  readonly designations: ReadonlyMap<number, string>;
  readonly properties: ReadonlyMap<number, { readonly code: string; readonly title: string }>;
  readonly combined: { readonly code: string; readonly title: string; readonly places: readonly number[] } | undefined;
}

/** @throws FileUnreadable for a table without codes or names */
function layoutOf(columns: readonly string[], format: TableFormat, line: number): Layout {
  const [code, display, definition, parent] = [format.code, format.display, format.definition, format.parent].map(
    (names) => placeOfColumn(columns, names),
  ) as [number, number, number, number];
  if (code === -1) throw new FileUnreadable(line, `there is no column ${format.code.join(' or ')}`);
  if (display === -1) throw new FileUnreadable(line, `there is no column ${format.display.join(' or ')}`);
  const designations = new Map<number, string>();
  for (const [column, language] of Object.entries(format.designations)) {
    const place = placeOfColumn(columns, [column]);
    if (place !== -1) designations.set(place, language);
  }
  const named = new Map(
    Object.entries(format.properties).map(([column, property]) => [placeOfColumn(columns, [column]), property]),
  );
  const combined = combinedOf(columns, format);
  const taken = new Set([code, display, definition, parent, ...designations.keys(), ...(combined?.places ?? [])]);
  const properties = new Map<number, { readonly code: string; readonly title: string }>();
  for (const [place, title] of columns.entries()) {
    if (taken.has(place) || title === '') continue;
    properties.set(place, { code: named.get(place) ?? codeOf(title), title });
  }
  return { code, display, definition, parent, designations, properties, combined };
}

function combinedOf(columns: readonly string[], { combined }: TableFormat): Layout['combined'] {
  const places = combined?.columns.map((column) => placeOfColumn(columns, [column])).filter((place) => place !== -1);
  if (combined === undefined || places === undefined || places.length === 0) return undefined;
  return { code: combined.code, title: combined.title, places };
}

/** A property code made of the name of a column. */
function codeOf(title: string): string {
  const plain = title.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') || 'column';
}

function propertiesOf(layouts: readonly Layout[]): Json {
  const all = layouts.flatMap(({ properties, combined }) => [
    ...properties.values(),
    ...(combined === undefined ? [] : [combined]),
  ]);
  const byCode = new Map(all.map((each) => [each.code, each.title]));
  // FHIR has no empty lists.
  if (byCode.size === 0) return {};
  const property = [...byCode].map(([code, description]) => {
    return { code, description, type: isDated(code) ? 'dateTime' : 'string' };
  });
  return { property };
}

/** A concept of one or more rows. */
class RowConcept {
  readonly code: string;
  readonly line: number;
  readonly #layout: Layout;
  readonly #parents = new Set<string>();
  readonly #definitions = new Set<string>();
  readonly #designations = new Map<string, Json>();
  readonly #properties = new Map<string, Json>();
  #display: string | undefined;

  constructor(code: string, line: number, layout: Layout) {
    this.code = code;
    this.line = line;
    this.#layout = layout;
  }

  get parents(): readonly string[] {
    return [...this.#parents];
  }

  add({ cells }: TableRow): void {
    const { display, definition, parent, designations, properties, combined } = this.#layout;
    const cell = (place: number) => cells[place] ?? '';
    if (cell(display) !== '') this.#display ??= cell(display);
    if (cell(definition) !== '') this.#definitions.add(cell(definition));
    // A code may name itself as the top.
    if (cell(parent) !== '' && cell(parent) !== this.code) this.#parents.add(cell(parent));
    for (const [place, language] of designations) {
      const value = cell(place);
      if (value !== '') this.#designations.set(`${language} ${value}`, { language, value });
    }
    for (const [place, { code }] of properties) {
      const value = cell(place);
      if (value !== '') this.#properties.set(`${code} ${value}`, propertyOf(code, value));
    }
    const together =
      combined?.places
        .map(cell)
        .filter((value) => value !== '')
        .join(' ') ?? '';
    if (combined !== undefined && together !== '') {
      this.#properties.set(`${combined.code} ${together}`, propertyOf(combined.code, together));
    }
  }

  json(): Json {
    const definition = [...this.#definitions].join('\n');
    return {
      code: this.code,
      ...(this.#display === undefined ? {} : { display: this.#display }),
      ...(definition === '' ? {} : { definition }),
      designation: [...this.#designations.values()],
      property: [...this.#properties.values()],
    };
  }
}

/** Dates are values of `valid-from` and `valid-to` alone, where they look like dates. */
function propertyOf(code: string, value: string): Json {
  return isDated(code) && IS_DATE.test(value) ? { code, valueDateTime: value } : { code, valueString: value };
}

function isDated(code: string): boolean {
  return code.startsWith('valid-');
}

/** Rows of the same code, one after the other; a row without a code belongs to the one before. */
async function* grouped(
  rows: AsyncGenerator<TableRow>,
  layout: Layout,
  assembly: Assembly,
): AsyncGenerator<RowConcept> {
  let current: RowConcept | undefined;
  for await (const row of rows) {
    const code = row.cells[layout.code] ?? '';
    if (code === '' && current === undefined) {
      assembly.issue(row.line, 'the row has no code');
      continue;
    }
    if (code !== '' && code !== current?.code) {
      if (current !== undefined) yield current;
      current = new RowConcept(code, row.line, layout);
    }
    current?.add(row);
  }
  if (current !== undefined) yield current;
}
