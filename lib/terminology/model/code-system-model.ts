// A code system in memory, in columns: numbers in typed arrays and all text in one pool, so that half a million concepts cost the garbage
// collector nothing (hl7.org/fhir/R5/codesystem.html). A concept is named by its place in the order in which it was listed.
import type { CodeTable } from './code-table.ts';
import type { Hierarchy } from './hierarchy.ts';
import type { StringPool } from './string-pool.ts';

export type PropertyKind = 'code' | 'Coding' | 'string' | 'integer' | 'boolean' | 'dateTime' | 'decimal';

export const PROPERTY_KINDS: readonly PropertyKind[] = [
  'code',
  'Coding',
  'string',
  'integer',
  'boolean',
  'dateTime',
  'decimal',
];

export interface Coding {
  readonly system?: string | undefined;
  readonly version?: string | undefined;
  readonly code?: string | undefined;
  readonly display?: string | undefined;
}

export interface Property {
  readonly code: string;
  readonly kind: PropertyKind;
  /** As text; of a Coding its JSON. */
  readonly value: string;
}

export interface Designation {
  readonly language: string | undefined;
  readonly use: Coding | undefined;
  readonly value: string;
}

/** What a property is by its definition in the code system. */
export interface PropertyDefinition {
  readonly code: string;
  readonly uri: string | undefined;
  readonly description: string | undefined;
  readonly type: string | undefined;
}

export type CodeSystemContent = 'not-present' | 'example' | 'fragment' | 'complete' | 'supplement';

export interface CodeSystemMeta {
  readonly url: string;
  readonly version: string | undefined;
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly status: string | undefined;
  /** `deprecated`, `withdrawn` … of the extension structuredefinition-standards-status. */
  readonly standardsStatus: string | undefined;
  readonly isExperimental: boolean;
  readonly language: string | undefined;
  readonly content: CodeSystemContent;
  readonly isCaseSensitive: boolean;
  readonly hierarchyMeaning: string | undefined;
  /** The value set of all its codes. */
  readonly valueSet: string | undefined;
  /** The canonical of the system that a supplement adds to. */
  readonly supplements: string | undefined;
  readonly properties: readonly PropertyDefinition[];
}

/** The columns; `starts` arrays have one number more than there are concepts. */
export interface Columns {
  readonly pool: StringPool;
  readonly codes: Int32Array;
  readonly table: CodeTable;
  readonly displays: Int32Array;
  readonly definitions: Int32Array;
  /** Bits: INACTIVE, ABSTRACT. */
  readonly flags: Uint8Array;
  readonly hierarchy: Hierarchy;
  readonly propertyStarts: Int32Array;
  /** Index of the name times the number of kinds, plus that of the kind. */
  readonly propertyKeys: Uint16Array;
  readonly propertyValues: Int32Array;
  readonly propertyNames: readonly string[];
  readonly designationStarts: Int32Array;
  readonly designationKinds: Uint16Array;
  readonly designationValues: Int32Array;
  readonly designationKindList: readonly Omit<Designation, 'value'>[];
}

export const INACTIVE = 1;
export const ABSTRACT = 2;
const KINDS = PROPERTY_KINDS.length;

export class CodeSystemModel {
  readonly meta: CodeSystemMeta;
  readonly #columns: Columns;
  #folded: ReadonlyMap<string, number> | undefined;

  constructor(meta: CodeSystemMeta, columns: Columns) {
    this.meta = meta;
    this.#columns = columns;
  }

  /** How many concepts there are. */
  get size(): number {
    return this.#columns.codes.length;
  }

  get hierarchy(): Hierarchy {
    return this.#columns.hierarchy;
  }

  /** Whether all its codes are listed. */
  get isComplete(): boolean {
    return this.meta.content === 'complete';
  }

  /** Whether a concept above another subsumes it. */
  get isSubsuming(): boolean {
    return this.meta.hierarchyMeaning === undefined || this.meta.hierarchyMeaning === 'is-a';
  }

  /** The concept with exactly this code, or -1. */
  find(code: string): number {
    return this.#columns.table.find(code);
  }

  /** The concept with this code in whatever case, where the system does not tell cases apart; or -1. */
  findFolded(code: string): number {
    if (this.meta.isCaseSensitive) return -1;
    this.#folded ??= new Map(
      Array.from({ length: this.size }, (_, place) => [this.code(place).toLowerCase(), place] as const),
    );
    return this.#folded.get(code.toLowerCase()) ?? -1;
  }

  code(place: number): string {
    return this.#columns.pool.text(this.#columns.codes[place] ?? 0);
  }

  display(place: number): string | undefined {
    return this.#columns.pool.optional(this.#columns.displays[place] ?? 0);
  }

  definition(place: number): string | undefined {
    return this.#columns.pool.optional(this.#columns.definitions[place] ?? 0);
  }

  isInactive(place: number): boolean {
    return ((this.#columns.flags[place] ?? 0) & INACTIVE) !== 0;
  }

  /** Whether it only groups others and is not to be chosen. */
  isAbstract(place: number): boolean {
    return ((this.#columns.flags[place] ?? 0) & ABSTRACT) !== 0;
  }

  designations(place: number): Designation[] {
    const { pool, designationStarts, designationKinds, designationValues, designationKindList } = this.#columns;
    const found: Designation[] = [];
    for (let at = designationStarts[place] ?? 0; at < (designationStarts[place + 1] ?? 0); at += 1) {
      const kind = designationKindList[designationKinds[at] ?? 0];
      if (kind !== undefined) found.push({ ...kind, value: pool.text(designationValues[at] ?? 0) });
    }
    return found;
  }

  properties(place: number): Property[] {
    const { pool, propertyStarts, propertyKeys, propertyValues, propertyNames } = this.#columns;
    const found: Property[] = [];
    for (let at = propertyStarts[place] ?? 0; at < (propertyStarts[place + 1] ?? 0); at += 1) {
      const key = propertyKeys[at] ?? 0;
      const code = propertyNames[Math.floor(key / KINDS)] ?? '';
      found.push({ code, kind: PROPERTY_KINDS[key % KINDS] ?? 'string', value: pool.text(propertyValues[at] ?? 0) });
    }
    return found;
  }

  /** Calls with each value of the property: its concept, and the value as it is compared (of a Coding its code). */
  eachValue(property: string, visit: (place: number, value: string) => void): void {
    const { pool, propertyStarts, propertyKeys, propertyValues, propertyNames } = this.#columns;
    const wanted = propertyNames.indexOf(property);
    if (wanted === -1) return;
    const texts = new Map<number, string>();
    for (let place = 0; place < this.size; place += 1) {
      for (let at = propertyStarts[place] ?? 0; at < (propertyStarts[place + 1] ?? 0); at += 1) {
        const key = propertyKeys[at] ?? 0;
        if (Math.floor(key / KINDS) !== wanted) continue;
        const value = propertyValues[at] ?? 0;
        // Values are kept once each as long as they are few.
        let text = texts.get(value);
        if (text === undefined) {
          text = comparable(pool.text(value), PROPERTY_KINDS[key % KINDS]);
          if (texts.size < MAX_REMEMBERED) texts.set(value, text);
        }
        visit(place, text);
      }
    }
  }

  /** How many bytes its columns hold. */
  get byteLength(): number {
    const { pool, ...columns } = this.#columns;
    const arrays = Object.values(columns).filter((column) => ArrayBuffer.isView(column));
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, pool.byteLength) + columns.hierarchy.byteLength;
  }
}

const MAX_REMEMBERED = 10_000;

function comparable(text: string, kind: PropertyKind | undefined): string {
  if (kind !== 'Coding') return text;
  const coding: unknown = JSON.parse(text);
  return typeof coding === 'object' && coding !== null && 'code' in coding ? String(coding.code) : '';
}
