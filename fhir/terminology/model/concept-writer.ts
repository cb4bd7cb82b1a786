// Writes a code system's concepts into columns, one at a time, in any column store.
import {
  ABSTRACT,
  type CodeSystemMeta,
  type ColumnsHead,
  type Designation,
  INACTIVE,
  PROPERTY_KINDS,
  type Property,
} from './code-system-model.ts';
import { CodeTableWriter } from './code-table.ts';
import type { ColumnStore } from './columns/column-store.ts';
import type { DescriptionDetails } from './designations.ts';
import { buildHierarchy } from './hierarchy-build.ts';
import { blocksOf, type Ints } from './int-list.ts';
import { NO_TEXT } from './string-pool.ts';

export interface ConceptInput {
  readonly code: string;
  readonly display?: string | undefined;
  readonly definition?: string | undefined;
  readonly designations?: readonly Designation[];
  readonly properties?: readonly Property[];
}

/**
 * R5's standard properties by URI, whatever code a system gives them (hl7.org/fhir/R5/codesystem.html#defined-props).
 */
type Role = 'parent' | 'child' | 'inactive' | 'status' | 'notSelectable';

const PROPERTY_URI = 'http://hl7.org/fhir/concept-properties#';
const ROLES: Readonly<Record<string, Role>> = {
  parent: 'parent',
  subsumedBy: 'parent',
  child: 'child',
  inactive: 'inactive',
  status: 'status',
  notSelectable: 'notSelectable',
  abstract: 'notSelectable',
};
/** Kinds of designations have sixteen bits. */
const MAX_KINDS_WITH_EXTENSIONS = 1_000;
const MAX_KINDS_WITH_DATES = 20_000;
/** Values of the property `status` for inactive concepts; `deprecated` codes are still in use. */
const INACTIVE_STATUSES = new Set(['inactive', 'retired', 'Inactive', 'Retired']);

export interface WrittenConcepts {
  readonly head: ColumnsHead;
  /** Whether no concept is its own ancestor. */
  readonly isAcyclic: boolean;
}

export interface LinkIssues {
  /** Calls for a parent or child code that does not exist. */
  readonly onUnknown?: (place: number, code: string) => void;
  /** Calls for a concept that names itself as parent or child. */
  readonly onSelf?: (place: number) => void;
}

export class ConceptWriter {
  readonly #meta: CodeSystemMeta;
  readonly #roles: ReadonlyMap<string, Role>;
  readonly #store: ColumnStore;
  readonly #table: CodeTableWriter;
  readonly #displays: Ints;
  readonly #definitions: Ints;
  readonly #flags: Ints;
  readonly #propertyStarts: Ints;
  readonly #propertyKeys: Ints;
  readonly #propertyValues: Ints;
  readonly #designationStarts: Ints;
  readonly #designationKinds: Ints;
  readonly #designationValues: Ints;
  /** Pairs of a concept and one of its children. */
  readonly #parents: Ints;
  readonly #children: Ints;
  /**
   * Links by code: twice the concept, plus one when the other is its parent. Then comes the other's place, or `~` of
   * its code's offset where that concept may come later.
   */
  readonly #linked: Ints;
  readonly #others: Ints;
  readonly #propertyNames: string[] = [];
  readonly #kindList: Omit<Designation, 'value'>[] = [];
  readonly #kindPlaces = new Map<string, number>();
  /** Designations whose details are the same object are of one kind. */
  readonly #kindsOfDetails = new WeakMap<DescriptionDetails, number>();

  constructor(meta: CodeSystemMeta, store: ColumnStore) {
    this.#meta = meta;
    this.#roles = rolesOf(meta);
    this.#store = store;
    this.#table = new CodeTableWriter(store);
    this.#displays = store.ints('displays');
    this.#definitions = store.ints('definitions');
    this.#flags = store.ints('flags');
    this.#propertyStarts = store.ints('propertyStarts');
    this.#propertyKeys = store.ints('propertyKeys');
    this.#propertyValues = store.ints('propertyValues');
    this.#designationStarts = store.ints('designationStarts');
    this.#designationKinds = store.ints('designationKinds');
    this.#designationValues = store.ints('designationValues');
    this.#parents = store.list();
    this.#children = store.list();
    this.#linked = store.list();
    this.#others = store.list();
  }

  /**
   * Adds a concept below another (-1: a root) and returns its place. A repeated code is the same concept with one more
   * parent.
   */
  add(concept: ConceptInput, parent: number): number {
    const known = this.#table.find(concept.code);
    const place = known === -1 ? this.#append(concept) : known;
    if (parent !== -1) this.#link(parent, place);
    return place;
  }

  /** Adds another parent to the concept; the parent may come later. */
  addParent(place: number, code: string): void {
    this.#addLink(place, { code, at: this.#store.pool.addShared(code), isAbove: true });
  }

  /** The same for a parent whose place is known; it may come later. */
  linkParent(place: number, parent: number): void {
    this.#link(parent, place);
  }

  find(code: string): number {
    return this.#table.find(code);
  }

  /** The code of a place. */
  codeAt(place: number): string {
    return this.#table.codeAt(place);
  }

  get size(): number {
    return this.#table.size;
  }

  /**
   * Writes the columns that need all concepts, as a generator whose steps leave the event loop free. No concept may be
   * added afterwards. Invalid links are reported and ignored.
   */
  *finish(onIssue: LinkIssues = {}): Generator<void, WrittenConcepts> {
    this.#propertyStarts.push(this.#propertyValues.length);
    this.#designationStarts.push(this.#designationValues.length);
    yield* this.#resolveLinks(onIssue);
    const { size } = this.#table;
    this.#table.finish(!this.#meta.isCaseSensitive);
    yield;
    const [above, below] = [this.#parents, this.#children];
    const links = { parents: blocksOf(below, above), children: blocksOf(above, below) };
    const { isAcyclic, ...order } = yield* buildHierarchy(size, links, this.#store);
    for (const list of [above, below, this.#linked, this.#others]) this.#store.drop(list);
    const names = { propertyNames: this.#propertyNames, designationKindList: this.#kindList };
    return { head: { meta: this.#meta, ...names, ...order }, isAcyclic };
  }

  *#resolveLinks({ onUnknown, onSelf }: LinkIssues): Generator<void> {
    for (const { rows, items } of blocksOf(this.#linked, this.#others)()) {
      for (let at = 0; at < rows.length; at += 1) {
        const linked = rows[at] ?? 0;
        const known = items[at] ?? 0;
        const other = known >= 0 ? known : this.#table.find(this.#store.pool.text(~known));
        const place = linked >>> 1;
        if (other === -1) onUnknown?.(place, this.#store.pool.text(~known));
        else if (other === place) onSelf?.(place);
        else if ((linked & 1) === 1) this.#link(other, place);
        else this.#link(place, other);
      }
      yield;
    }
  }

  #addLink(place: number, { code, at, isAbove }: { code: string; at: number; isAbove: boolean }): void {
    const known = this.#table.find(code);
    this.#linked.push(place * 2 + (isAbove ? 1 : 0));
    this.#others.push(known === -1 ? ~at : known);
  }

  #append({ code, display, definition, designations = [], properties = [] }: ConceptInput): number {
    const { pool } = this.#store;
    const place = this.#table.add(code);
    const displayAt = display === undefined ? NO_TEXT : pool.add(display);
    this.#displays.push(displayAt);
    this.#definitions.push(definition === undefined ? NO_TEXT : pool.add(definition));
    this.#designationStarts.push(this.#designationValues.length);
    for (const designation of designations) {
      // A name that is the display is stored once.
      const at = designation.value === display ? displayAt : pool.add(designation.value);
      this.#addDesignation(designation, at);
    }
    this.#propertyStarts.push(this.#propertyValues.length);
    let flags = 0;
    for (const property of properties) flags |= this.#addProperty(place, property);
    this.#flags.push(flags);
    return place;
  }

  #addDesignation(designation: Designation, at: number): void {
    const { description } = designation;
    const known = description && this.#kindsOfDetails.get(description);
    const kind = known ?? this.#kindOf(designation);
    if (description !== undefined) this.#kindsOfDetails.set(description, kind);
    this.#designationKinds.push(kind);
    this.#designationValues.push(at);
  }

  #kindOf({ language, use, extensions, description }: Designation): number {
    // A system whose designations differ in their extensions has as many kinds: then the extensions are left out.
    const hasRoom = extensions !== undefined && this.#kindList.length < MAX_KINDS_WITH_EXTENSIONS;
    const details = description && this.#detailsOf(description);
    const given = { language, use, ...(hasRoom ? { extensions } : {}), ...(details ? { description: details } : {}) };
    const key = JSON.stringify([language, use, given.extensions, details]);
    let kind = this.#kindPlaces.get(key);
    if (kind === undefined) {
      kind = this.#kindList.push(given) - 1;
      this.#kindPlaces.set(key, kind);
    }
    return kind;
  }

  /** Kinds have sixteen bits: beyond that, dates are left out. */
  #detailsOf(description: DescriptionDetails): DescriptionDetails {
    return this.#kindList.length < MAX_KINDS_WITH_DATES ? description : { ...description, effectiveTime: '' };
  }

  /** The flag bits of a property of the concept. */
  #addProperty(place: number, { code, kind, value }: Property): number {
    const known = this.#propertyNames.indexOf(code);
    const name = known === -1 ? this.#propertyNames.push(code) - 1 : known;
    this.#propertyKeys.push(name * PROPERTY_KINDS.length + PROPERTY_KINDS.indexOf(kind));
    const at = this.#store.pool.addShared(value);
    this.#propertyValues.push(at);
    const role = this.#roles.get(code) ?? ROLES[code];
    switch (role) {
      case 'parent':
      case 'child':
        if (kind !== 'Coding') this.#addLink(place, { code: value, at, isAbove: role === 'parent' });
        return 0;
      case 'inactive':
        return value === 'true' ? INACTIVE : 0;
      case 'status':
        return INACTIVE_STATUSES.has(value) ? INACTIVE : 0;
      case 'notSelectable':
        return value === 'true' ? ABSTRACT : 0;
      default:
        return 0;
    }
  }

  #link(parent: number, child: number): void {
    if (parent === child) return;
    this.#parents.push(parent);
    this.#children.push(child);
  }
}

function rolesOf({ properties }: CodeSystemMeta): ReadonlyMap<string, Role> {
  return new Map(
    properties.flatMap(({ code, uri }) => {
      const role = uri?.startsWith(PROPERTY_URI) === true ? ROLES[uri.slice(PROPERTY_URI.length)] : undefined;
      return role === undefined ? [] : [[code, role] as const];
    }),
  );
}
