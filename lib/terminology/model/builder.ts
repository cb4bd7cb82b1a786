// Builds a code system's columns from its concepts, one after the other as they are read.
import {
  ABSTRACT,
  type CodeSystemMeta,
  type Columns,
  type Designation,
  INACTIVE,
  PROPERTY_KINDS,
  type Property,
} from './code-system-model.ts';
import { CodeTableWriter } from './code-table.ts';
import { type BuiltHierarchy, buildHierarchy } from './hierarchy.ts';
import { IntList } from './int-list.ts';
import { NO_TEXT, StringPoolWriter } from './string-pool.ts';
import { gatherWords, NO_WORDS } from './word-columns.ts';

export interface ConceptInput {
  readonly code: string;
  readonly display?: string | undefined;
  readonly definition?: string | undefined;
  readonly designations?: readonly Designation[];
  readonly properties?: readonly Property[];
}

/** What the properties of R5 mean, whatever a system calls them (hl7.org/fhir/R5/codesystem.html#defined-props). */
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
/** Of the property `status`; `deprecated` codes are still in use. */
const INACTIVE_STATUSES = new Set(['inactive', 'retired', 'Inactive', 'Retired']);

export class CodeSystemBuilder {
  readonly #meta: CodeSystemMeta;
  readonly #roles: ReadonlyMap<string, Role>;
  readonly #pool = new StringPoolWriter();
  readonly #table = new CodeTableWriter(this.#pool);
  readonly #displays = new IntList();
  readonly #definitions = new IntList();
  readonly #flags = new IntList();
  readonly #parentOf = new IntList();
  readonly #childOf = new IntList();
  /** Links to codes that may come later: the concept twice, plus one where the other is above it, and where the other's code is. */
  readonly #links = { places: new IntList(), codes: new IntList() };
  readonly #properties = { starts: new IntList(), keys: new IntList(), values: new IntList(), names: [] as string[] };
  readonly #designations = { starts: new IntList(), kinds: new IntList(), values: new IntList() };
  readonly #kindList: Omit<Designation, 'value'>[] = [];
  readonly #kindPlaces = new Map<string, number>();

  constructor(meta: CodeSystemMeta) {
    this.#meta = meta;
    this.#roles = rolesOf(meta);
  }

  /**
   * Adds a concept below another (-1: below none) and answers its place. A code that comes again is the same concept, with one more
   * place in the hierarchy.
   */
  add(concept: ConceptInput, parent: number): number {
    const known = this.#table.find(concept.code);
    const place = known === -1 ? this.#append(concept) : known;
    if (parent !== -1) this.#link(parent, place);
    return place;
  }

  /** Puts the concept also below another, which may come later. */
  addParent(place: number, code: string): void {
    this.#addLink(place, this.#pool.addShared(code), true);
  }

  find(code: string): number {
    return this.#table.find(code);
  }

  get size(): number {
    return this.#table.size;
  }

  /**
   * The columns, after which the builder is empty; `withWords`: with the words by which concepts are found, which otherwise are gathered when they are first asked for.
   * `onUnknown` is told of each code that a concept is said to lie above or below, and that is not there.
   */
  finish(withWords = false, onUnknown?: (place: number, code: string) => void): Columns {
    this.#resolveLinks(onUnknown);
    const { starts, keys, values, names } = this.#properties;
    const designations = this.#designations;
    const { isInOrder, hasRanges, ...hierarchy } = this.#buildHierarchy();
    const head = { meta: this.#meta, propertyNames: names, designationKindList: this.#kindList, isInOrder, hasRanges };
    const columns = {
      head,
      ...this.#table.finish(!this.#meta.isCaseSensitive),
      // The table reads its codes in it.
      pool: this.#pool.finish(),
      displays: this.#displays.finish(),
      definitions: this.#definitions.finish(),
      flags: Uint8Array.from(this.#flags.finish()),
      propertyStarts: withEnd(starts, values.length),
      propertyKeys: Uint16Array.from(keys.finish()),
      propertyValues: values.finish(),
      designationStarts: withEnd(designations.starts, designations.values.length),
      designationKinds: Uint16Array.from(designations.kinds.finish()),
      designationValues: designations.values.finish(),
      ...hierarchy,
    };
    return { ...columns, ...(withWords ? gatherWords(columns) : NO_WORDS) };
  }

  #resolveLinks(onUnknown?: (place: number, code: string) => void): void {
    const { places, codes } = this.#links;
    for (let at = 0; at < places.length; at += 1) {
      const place = places.at(at) >>> 1;
      const code = this.#pool.text(codes.at(at));
      const other = this.#table.find(code);
      if (other === -1) onUnknown?.(place, code);
      else if ((places.at(at) & 1) === 1) this.#link(other, place);
      else this.#link(place, other);
    }
    places.finish();
    codes.finish();
  }

  #buildHierarchy(): BuiltHierarchy {
    return buildHierarchy(this.#table.size, this.#parentOf.finish(), this.#childOf.finish());
  }

  #addLink(place: number, code: number, isAbove: boolean): void {
    this.#links.places.push(place * 2 + (isAbove ? 1 : 0));
    this.#links.codes.push(code);
  }

  #append({ code, display, definition, designations = [], properties = [] }: ConceptInput): number {
    const place = this.#table.add(code);
    this.#displays.push(display === undefined ? NO_TEXT : this.#pool.add(display));
    this.#definitions.push(definition === undefined ? NO_TEXT : this.#pool.add(definition));
    this.#designations.starts.push(this.#designations.values.length);
    for (const designation of designations) this.#addDesignation(designation);
    this.#properties.starts.push(this.#properties.values.length);
    let flags = 0;
    for (const property of properties) flags |= this.#addProperty(place, property);
    this.#flags.push(flags);
    return place;
  }

  #addDesignation({ value, language, use }: Designation): void {
    const key = JSON.stringify([language, use]);
    let kind = this.#kindPlaces.get(key);
    if (kind === undefined) {
      kind = this.#kindList.push({ language, use }) - 1;
      this.#kindPlaces.set(key, kind);
    }
    this.#designations.kinds.push(kind);
    this.#designations.values.push(this.#pool.add(value));
  }

  /** Answers what the property says of the concept as bits. */
  #addProperty(place: number, { code, kind, value }: Property): number {
    const { names, keys, values } = this.#properties;
    const known = names.indexOf(code);
    const name = known === -1 ? names.push(code) - 1 : known;
    keys.push(name * PROPERTY_KINDS.length + PROPERTY_KINDS.indexOf(kind));
    const at = this.#pool.addShared(value);
    values.push(at);
    const role = this.#roles.get(code) ?? ROLES[code];
    switch (role) {
      case 'parent':
      case 'child':
        if (kind !== 'Coding') this.#addLink(place, at, role === 'parent');
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
    this.#parentOf.push(parent);
    this.#childOf.push(child);
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

function withEnd(starts: IntList, end: number): Int32Array {
  starts.push(end);
  return starts.finish();
}
