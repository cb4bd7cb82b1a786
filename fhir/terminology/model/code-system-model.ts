// The model of a code system in memory. It has numbers in typed arrays and all text in one pool. So half a million
// concepts are no work for the garbage collector (hl7.org/fhir/R5/codesystem.html). A concept is identified by its
// place: its index in the order of the list.
import type { JsonWriter } from '#lib/json/json-writer.ts';
import type { Json } from '../json.ts';
import type { CodeSystemMeta } from './code-system-meta.ts';
import { type CodeTable, findCode, findFoldedCode } from './code-table.ts';
import { bytesOf, type WithHead } from './columns/columns.ts';
import {
  type InterleavedColumns,
  type InterleavedName,
  interleave,
  withoutInterleaved,
} from './columns/interleaved-columns.ts';
import { TextColumn } from './columns/text-column.ts';
import { type Designation, type DesignationKind, type ExpandedKind, expandKind } from './designations.ts';
import { EXTENSION_PROPERTY } from './extensions.ts';
import { Hierarchy } from './hierarchy.ts';
import { type MemberKind, type Refset, Refsets } from './snomed/refsets.ts';
import { concreteValue, type Relation, Relations } from './snomed/relations.ts';
import { StringPool } from './string-pool.ts';
import { collectWords, type WordColumns } from './word-columns.ts';

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

export interface Property {
  readonly code: string;
  readonly kind: PropertyKind;
  /** As text; of a Coding its JSON. */
  readonly value: string;
}

export interface ColumnsHead {
  readonly meta: CodeSystemMeta;
  readonly propertyNames: readonly string[];
  readonly designationKindList: readonly DesignationKind[];
  /** Whether every rank equals the place, as for a nested list of concepts. */
  readonly isInOrder: boolean;
  /** Whether descendants by second parents are stored as ranges of ranks. */
  readonly hasRanges: boolean;
  /** For SNOMED CT: the types of relations, the reference sets and the kinds of their members. */
  readonly relationTypes?: readonly string[];
  readonly refsets?: readonly Refset[];
  readonly memberKindList?: readonly MemberKind[];
}

/** The columns and head of a code system. */
export interface Columns extends WithHead<ColumnsHead> {
  /** Columns that lie side by side, where they have been copied in steps; the model copies them at once otherwise. */
  readonly interleaved?: InterleavedColumns;
}

export type { CodeSystemContent, CodeSystemMeta } from './code-system-meta.ts';
export type { Coding, Designation } from './designations.ts';

export const INACTIVE = 1;
export const ABSTRACT = 2;
const KINDS = PROPERTY_KINDS.length;

export class CodeSystemModel {
  readonly meta: CodeSystemMeta;
  readonly hierarchy: Hierarchy;
  readonly #columns: Omit<WithHead<ColumnsHead>, InterleavedName>;
  readonly #rows: InterleavedColumns;
  readonly #table: CodeTable;
  readonly #pool: StringPool;
  readonly #hasExtensions: boolean;
  /** The attributes of concepts, and the reference sets: of SNOMED CT. */
  readonly relations: Relations;
  readonly refsets: Refsets;
  /** The texts of concepts, to be written as JSON. */
  readonly texts: { readonly code: TextColumn; readonly display: TextColumn; readonly definition: TextColumn };
  readonly #kinds: readonly ExpandedKind[];
  readonly #hasPreferred: boolean;
  #words: WordColumns | undefined;

  constructor(columns: Columns) {
    const { head } = columns;
    this.meta = head.meta;
    const rows = columns.interleaved ?? interleave(columns);
    const others = withoutInterleaved<WithHead<ColumnsHead>>(columns);
    this.#columns = others;
    this.#rows = rows;
    this.#table = { slots: columns.slots, foldedSlots: columns.foldedSlots, codes: rows.codes };
    this.#hasExtensions = head.propertyNames.includes(EXTENSION_PROPERTY);
    this.#pool = new StringPool(columns.pool);
    this.texts = {
      code: new TextColumn(rows.codes, this.#pool),
      display: new TextColumn(rows.displays, this.#pool),
      definition: new TextColumn(rows.definitions, this.#pool),
    };
    this.hierarchy = new Hierarchy({ ...others, ...rows, isInOrder: head.isInOrder, hasRanges: head.hasRanges });
    this.relations = new Relations({ ...others, types: head.relationTypes ?? [] }, this.#pool);
    const { refsets = [], memberKindList: kinds = [] } = head;
    this.refsets = new Refsets({ ...others, refsets, kinds }, this.#pool);
    this.#kinds = head.designationKindList.map(expandKind);
    this.#hasPreferred = this.#kinds.some(({ preferred }) => preferred.length > 0);
    const { wordBytes, wordEnds, wordStarts, wordPlaces } = columns;
    this.#words = wordEnds.length === 0 ? undefined : { wordBytes, wordEnds, wordStarts, wordPlaces };
  }

  /** The number of concepts. */
  get size(): number {
    return this.#rows.codes.length;
  }

  /** Whether it lists all its codes. */
  get isComplete(): boolean {
    return this.meta.content === 'complete';
  }

  /** Whether the hierarchy means subsumption. */
  get isSubsuming(): boolean {
    return this.meta.hierarchyMeaning === undefined || this.meta.hierarchyMeaning === 'is-a';
  }

  /** The concept with exactly this code, or -1. */
  find(code: string): number {
    return findCode(this.#table, this.#pool, code);
  }

  /** The concept with this code in any case, when the system is case-insensitive; or -1. */
  findFolded(code: string): number {
    return this.meta.isCaseSensitive ? -1 : findFoldedCode(this.#table, this.#pool, code);
  }

  /** The concept with this code, in any case when the system is case-insensitive; or -1. */
  findMeant(code: string): number {
    const exact = this.find(code);
    return exact === -1 ? this.findFolded(code) : exact;
  }

  code(place: number): string {
    return this.#pool.text(this.#rows.codes.at(place));
  }

  /** Whether the concept has exactly this code. */
  isCodeAt(place: number, code: string): boolean {
    return this.#pool.equals(this.#rows.codes.at(place), code);
  }

  display(place: number): string | undefined {
    return this.#pool.optional(this.#rows.displays.at(place));
  }

  definition(place: number): string | undefined {
    return this.#pool.optional(this.#rows.definitions.at(place));
  }

  isInactive(place: number): boolean {
    return (this.#rows.flags.at(place) & INACTIVE) !== 0;
  }

  /** Whether it only groups other concepts and must not be used as a code. */
  isAbstract(place: number): boolean {
    return (this.#rows.flags.at(place) & ABSTRACT) !== 0;
  }

  designations(place: number): Designation[] {
    const found: Designation[] = [];
    this.eachName(place, (kind, at) => void found.push({ ...kind, value: this.#pool.text(at) }));
    return found;
  }

  /** Calls with what is known of each designation, preferred ones first, and where its text is (`text`). */
  eachName(place: number, visit: (kind: DesignationKind, at: number) => void): void {
    const { designationStarts, designationKinds, designationValues } = this.#rows;
    const [from, to] = [designationStarts.at(place), designationStarts.at(place + 1)];
    if (this.#hasPreferred) {
      for (let at = from; at < to; at += 1) {
        for (const each of this.#kinds[designationKinds.at(at)]?.preferred ?? []) visit(each, designationValues.at(at));
      }
    }
    for (let at = from; at < to; at += 1) {
      const kind = this.#kinds[designationKinds.at(at)];
      if (kind !== undefined) visit(kind.own, designationValues.at(at));
    }
  }

  /** The kinds of designations. */
  get designationKinds(): readonly DesignationKind[] {
    return this.#columns.head.designationKindList;
  }

  /** Calls with each stored designation: the index of its kind, and where its text is (`text`). */
  eachDesignation(place: number, visit: (kind: number, at: number) => void): void {
    const { designationStarts, designationKinds, designationValues } = this.#rows;
    for (let at = designationStarts.at(place); at < designationStarts.at(place + 1); at += 1)
      visit(designationKinds.at(at), designationValues.at(at));
  }

  /** The text at an offset of the pool. */
  text(at: number): string {
    return this.#pool.text(at);
  }

  /** Writes the text at an offset of the pool as a JSON string. */
  writeText(at: number, writer: JsonWriter): void {
    this.#pool.write(at, writer);
  }

  /** The properties of the concept; its attributes are among them. */
  properties(place: number): Property[] {
    const own: Property[] = [];
    this.eachProperty(place, (code, kind, at) => void own.push({ code, kind, value: this.#pool.text(at) }));
    return this.relations.isEmpty ? own : [...own, ...this.relations.of(place).map((each) => this.#asProperty(each))];
  }

  /** The attributes of the concept as properties, by their groups (0: without one). */
  attributes(place: number): ReadonlyMap<number, readonly Property[]> {
    const byGroup = Map.groupBy(this.relations.of(place), ({ group }) => group);
    return new Map([...byGroup].map(([group, list]) => [group, list.map((each) => this.#asProperty(each))]));
  }

  #asProperty({ type, target, value }: Relation): Property {
    return value === undefined
      ? { code: type, kind: 'code', value: this.code(target) }
      : { code: type, ...concreteValue(value) };
  }

  /** Whether any concept has extensions that are kept. */
  get hasExtensions(): boolean {
    return this.#hasExtensions;
  }

  /** The extensions of the concept that are kept. */
  extensions(place: number): Json[] {
    if (!this.#hasExtensions) return [];
    const found: Json[] = [];
    this.#eachStored(place, (code, _kind, at) => {
      if (code === EXTENSION_PROPERTY) found.push(JSON.parse(this.#pool.text(at)) as Json);
    });
    return found;
  }

  /** Calls with each property but attributes: its code and type, and where its value is (`text`). */
  eachProperty(place: number, visit: (code: string, kind: PropertyKind, at: number) => void): void {
    if (!this.#hasExtensions) this.#eachStored(place, visit);
    else
      this.#eachStored(place, (code, kind, at) => {
        if (code !== EXTENSION_PROPERTY) visit(code, kind, at);
      });
  }

  #eachStored(place: number, visit: (code: string, kind: PropertyKind, at: number) => void): void {
    const { head } = this.#columns;
    const { propertyStarts, propertyKeys, propertyValues } = this.#rows;
    for (let at = propertyStarts.at(place); at < propertyStarts.at(place + 1); at += 1) {
      const key = propertyKeys.at(at);
      const code = head.propertyNames[Math.floor(key / KINDS)] ?? '';
      visit(code, PROPERTY_KINDS[key % KINDS] ?? 'string', propertyValues.at(at));
    }
  }

  /** Whether the concept has a property of this code, other than an attribute. */
  hasOwn(place: number, property: string): boolean {
    const { head } = this.#columns;
    const { propertyStarts, propertyKeys } = this.#rows;
    const wanted = head.propertyNames.indexOf(property);
    if (wanted === -1) return false;
    for (let at = propertyStarts.at(place); at < propertyStarts.at(place + 1); at += 1)
      if (Math.floor(propertyKeys.at(at) / KINDS) === wanted) return true;
    return false;
  }

  /** Whether the system defines the property, or some concept has it. */
  hasProperty(property: string): boolean {
    const { meta, propertyNames } = this.#columns.head;
    return (
      propertyNames.includes(property) ||
      meta.properties.some(({ code }) => code === property) ||
      this.relations.types.includes(property)
    );
  }

  /** Whether the property is an attribute of SNOMED CT, whose values are in the relations. */
  isAttribute(property: string): boolean {
    return this.relations.types.includes(property) && !this.#columns.head.propertyNames.includes(property);
  }

  /** The comparable values of one property of a concept (the code of a Coding). */
  valuesOf(place: number, property: string): string[] {
    const { head } = this.#columns;
    const { propertyStarts, propertyKeys, propertyValues } = this.#rows;
    const wanted = head.propertyNames.indexOf(property);
    if (wanted === -1) return this.#attributeValues(place, property);
    const found: string[] = [];
    for (let at = propertyStarts.at(place); at < propertyStarts.at(place + 1); at += 1) {
      const key = propertyKeys.at(at);
      if (Math.floor(key / KINDS) !== wanted) continue;
      found.push(comparable(this.#pool.text(propertyValues.at(at)), PROPERTY_KINDS[key % KINDS]));
    }
    return found;
  }

  /**
   * Calls with each value of the property: its concept, and the comparable value (the code of a Coding). The concepts
   * are those of the range, or all.
   */
  eachValue(property: string, visit: (place: number, value: string) => void, from = 0, to = this.size): void {
    const { head } = this.#columns;
    const { propertyStarts, propertyKeys, propertyValues } = this.#rows;
    const wanted = head.propertyNames.indexOf(property);
    if (wanted === -1) {
      this.#eachAttribute(property, visit, { from, to });
      return;
    }
    const texts = new Map<number, string>();
    for (let place = from; place < to; place += 1) {
      for (let at = propertyStarts.at(place); at < propertyStarts.at(place + 1); at += 1) {
        const key = propertyKeys.at(at);
        if (Math.floor(key / KINDS) !== wanted) continue;
        const value = propertyValues.at(at);
        // Each distinct value is cached once, up to a limit.
        let text = texts.get(value);
        if (text === undefined) {
          text = comparable(this.#pool.text(value), PROPERTY_KINDS[key % KINDS]);
          if (texts.size < MAX_CACHED) texts.set(value, text);
        }
        visit(place, text);
      }
    }
  }

  #attributeValues(place: number, type: string): string[] {
    return this.relations
      .of(place)
      .filter((each) => each.type === type)
      .map((each) => this.#asProperty(each).value);
  }

  #eachAttribute(
    type: string,
    visit: (place: number, value: string) => void,
    { from, to }: { readonly from: number; readonly to: number },
  ): void {
    const { starts, types } = this.relations;
    const wanted = types.indexOf(type);
    if (wanted === -1) return;
    const texts = new Map<number, string>();
    for (let place = from; place < to; place += 1) {
      for (let at = starts[place] ?? 0; at < (starts[place + 1] ?? 0); at += 1) {
        if (this.relations.typeOf(at) !== wanted) continue;
        const target = this.relations.targets[at] ?? 0;
        const text = texts.get(target) ?? (target < 0 ? concreteValue(this.text(~target)).value : this.code(target));
        if (texts.size < MAX_CACHED) texts.set(target, text);
        visit(place, text);
      }
    }
  }

  /** The words of its names; collected on first use, unless they came with the columns. */
  get words(): WordColumns {
    this.#words ??= collectWords({ ...this.#columns, ...this.#rows });
    return this.#words;
  }

  /** Whether they have been collected: of many names that takes tens of milliseconds. */
  get hasWords(): boolean {
    return this.#words !== undefined;
  }

  /** The size of its columns in bytes, with the words once they are collected. */
  get byteLength(): number {
    return bytesOf({ ...this.#columns, ...this.#words }) + this.#rows.byteLength;
  }
}

const MAX_CACHED = 10_000;

function comparable(text: string, kind: PropertyKind | undefined): string {
  if (kind !== 'Coding') return text;
  const coding: unknown = JSON.parse(text);
  return typeof coding === 'object' && coding !== null && 'code' in coding ? String(coding.code) : '';
}
