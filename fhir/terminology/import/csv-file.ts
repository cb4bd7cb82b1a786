// Reads the concepts of a code system from rows of CSV; the caller gives the metadata of the system. The first row
// names the columns: `code`, `display`, `definition`, `parent` (codes separated by `|`), `designation:LANGUAGE`,
// `property:CODE` (a text) or `property:CODE:KIND`.
import { type CsvRecord, createCsvReader } from '#lib/csv/csv-reader.ts';
import type { Json } from '../json.ts';
import { PROPERTY_KINDS } from '../model/code-system-model.ts';
import { Assembly, type AssemblyOptions, FileUnreadable } from './assembly.ts';
import { Utf8Text } from './utf8.ts';

/** Sets the value of a cell in the concept. */
type Column = (concept: MutableConcept, cell: string) => void;

interface MutableConcept {
  readonly single: Record<string, string>;
  readonly designation: Json[];
  readonly property: Json[];
  parents: readonly string[];
}

const SINGLE = ['code', 'display', 'definition'];
const KINDS = PROPERTY_KINDS.filter((kind) => kind !== 'Coding');

export class CsvFile {
  readonly #assembly: Assembly;
  readonly #reader = createCsvReader();
  readonly #text = new Utf8Text();
  #columns: readonly Column[] | undefined;

  /** @throws FileUnreadable for a head that cannot be used */
  constructor(head: Json, options: AssemblyOptions) {
    this.#assembly = new Assembly(head, 1, options);
  }

  get size(): number {
    return this.#assembly.size;
  }

  /** @throws FileUnreadable */
  push(bytes: Buffer): void {
    for (const record of this.#reader.push(this.#text.decode(bytes))) this.#read(record);
  }

  /** @throws FileUnreadable for a file without a first row */
  end(): Assembly {
    for (const record of this.#reader.push(this.#text.decode())) this.#read(record);
    for (const record of this.#reader.end()) this.#read(record);
    if (this.#columns === undefined) throw new FileUnreadable(1, 'the first row must name the columns');
    return this.#assembly;
  }

  #read({ line, cells, issue }: CsvRecord): void {
    if (this.#columns === undefined) {
      this.#columns = columnsOf(cells, line);
      return;
    }
    if (issue !== undefined) this.#assembly.issue(line, issue);
    else if (cells.length > 1 || cells[0] !== '') this.#add(cells, line, this.#columns);
  }

  #add(cells: readonly string[], line: number, columns: readonly Column[]): void {
    if (cells.length !== columns.length) {
      this.#assembly.issue(line, `there are ${cells.length} cells, and ${columns.length} columns`);
      return;
    }
    const concept: MutableConcept = { single: {}, designation: [], property: [], parents: [] };
    for (const [at, column] of columns.entries()) if (cells[at] !== '') column(concept, cells[at] ?? '');
    const { single, designation, property, parents } = concept;
    this.#assembly.addConcept({ ...single, designation, property }, line, { parents });
  }
}

function columnsOf(names: readonly string[], line: number): readonly Column[] {
  const issues: string[] = [];
  const columns = names.map((name, index): Column => {
    const column = columnOf(name.trim());
    const isSingle = /^(?:code|display|definition|parent)$/.test(name.trim());
    if (column === undefined) issues.push(`there is no column "${name}"`);
    else if (isSingle && names.findIndex((each) => each.trim() === name.trim()) !== index)
      issues.push(`the column ${name} is there twice`);
    return column ?? (() => undefined);
  });
  if (!names.some((name) => name.trim() === 'code')) issues.push('the column code is missing');
  if (issues.length > 0) throw new FileUnreadable(line, issues.join('; '));
  return columns;
}

function columnOf(name: string): Column | undefined {
  if (SINGLE.includes(name)) {
    return ({ single }, cell) => {
      single[name] = cell;
    };
  }
  if (name === 'parent') {
    return (concept, cell) => {
      concept.parents = cell.split('|').flatMap((code) => (code.trim() === '' ? [] : [code.trim()]));
    };
  }
  const [what, code = '', kind = 'string', ...rest] = name.split(':');
  if (code === '' || rest.length > 0) return undefined;
  if (what === 'designation' && kind === 'string')
    return ({ designation }, value) => void designation.push({ language: code, value });
  const known = KINDS.find((each) => each === kind);
  if (what !== 'property' || known === undefined) return undefined;
  const member = `value${known.charAt(0).toUpperCase()}${known.slice(1)}`;
  return ({ property }, cell) => void property.push({ code, [member]: typedValue(known, cell) });
}

/** A value of another kind stays text, which the concept check reports. */
function typedValue(kind: string, cell: string): string | number | boolean {
  if (kind === 'boolean' && (cell === 'true' || cell === 'false')) return cell === 'true';
  const isNumber = (kind === 'integer' || kind === 'decimal') && /^-?\d+(?:\.\d+)?$/.test(cell);
  return isNumber ? Number(cell) : cell;
}
