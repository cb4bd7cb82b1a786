// The R5 definitions in memory: types, elements, required value sets, compartments (decisions E1 and E3; made by
// scripts/compile-fhir-definitions.ts from hl7.fhir.r5.core). Loaded once, on first use, and never changed.
import { readFileSync } from 'node:fs';
import type { ResourceType } from '../resources/types.ts';
import type { CodeList, DefinitionRows, TypeRow } from './rows.ts';
import { type ElementDefinition, type Shape, shapeReader } from './shapes.ts';

/** The codes of one value set. */
export interface CodeSet {
  /** Whether any system of the set has the code: the rule for elements of type `code`. */
  readonly hasCode: (code: string) => boolean;
  readonly has: (system: string, code: string) => boolean;
  /** All codes, whatever their system. */
  readonly codes: readonly string[];
  readonly systems: readonly string[];
}

export interface Definitions {
  /** The resource types that exist as such (no abstract ones), in alphabetical order. */
  readonly resourceTypes: readonly ResourceType[];
  readonly isResourceType: (name: string) => name is ResourceType;
  /** `resource`, `complex-type`, `primitive-type`, or undefined for a name that is no type. */
  readonly kindOf: (name: string) => string | undefined;
  /** Whether a type is the other or inherits from it: every Patient is a DomainResource. */
  readonly isKindOf: (name: string, ancestor: string) => boolean;
  /** The shape of the object at a path: `Patient`, `Patient.contact`, `HumanName`. */
  readonly shape: (path: string) => Shape | undefined;
  /**
   * The element at a path within a type, through data types and repeated content too: `Patient.name.given`,
   * `Patient.deceased[x]`.
   */
  readonly element: (path: string) => ElementDefinition | undefined;
  /** The elements at the top of a type that `_summary=true` shows, by their names without `[x]`. */
  readonly summaryElements: (type: string) => readonly string[];
  /**
   * The codes of a value set that an element of R5 requires or recommends. Undefined when no list holds them (then see
   * code-syntax.ts).
   */
  readonly codeSet: (valueSet: string) => CodeSet | undefined;
  /**
   * The search parameters by which a type belongs to a compartment, `{def}` for the compartment's own resource;
   * undefined when the type never belongs to it.
   */
  readonly compartmentParams: (compartment: string, type: string) => readonly string[] | undefined;
  /** The resource types of a compartment: `Patient`, `Encounter`, `Device`, `Practitioner`, `RelatedPerson`. */
  readonly compartmentTypes: (compartment: string) => readonly string[];
}

let loaded: Definitions | undefined;

/** The definitions of FHIR R5; the first call reads them from disk (tens of milliseconds). */
export function r5Definitions(): Definitions {
  loaded ??= createDefinitions({
    types: readGenerated('r5-types.json'),
    valueSets: readGenerated('r5-value-sets.json'),
    compartments: readGenerated('r5-compartments.json'),
  });
  return loaded;
}

/** Definitions over the given rows. */
function createDefinitions(rows: DefinitionRows): Definitions {
  const types = new Map(Object.entries(rows.types));
  const shape = shapeReader(rows.types);
  const isType = (name: string): name is ResourceType => {
    const row = types.get(name);
    return row?.kind === 'resource' && !row.abstract;
  };
  const codeSet = codeSetReader(new Map(Object.entries(rows.valueSets)));
  const compartments = new Map(
    Object.entries(rows.compartments).map(([code, params]) => [code, new Map(Object.entries(params))]),
  );
  return {
    resourceTypes: [...types.keys()].filter(isType),
    isResourceType: isType,
    kindOf: (name) => types.get(name)?.kind,
    isKindOf: (name, ancestor) => isKindOf(types, name, ancestor),
    shape,
    element: (path) => findElement(shape, path),
    summaryElements: (type) => (shape(type)?.elements ?? []).flatMap((each) => (each.isSummary ? [each.name] : [])),
    codeSet,
    compartmentParams: (compartment, type) => compartments.get(compartment)?.get(type),
    compartmentTypes: (compartment) => [...(compartments.get(compartment)?.keys() ?? [])],
  };
}

/** Whether the name is that of a concrete R5 resource type. */
export function isResourceType(name: string): name is ResourceType {
  return r5Definitions().isResourceType(name);
}

function isKindOf(types: ReadonlyMap<string, TypeRow>, name: string, ancestor: string): boolean {
  let current: string | undefined = types.has(name) ? name : undefined;
  while (current !== undefined && current !== ancestor) current = types.get(current)?.base;
  return current === ancestor;
}

function findElement(shape: (path: string) => Shape | undefined, path: string): ElementDefinition | undefined {
  const [type = '', ...names] = path.split('.');
  let current = shape(type);
  let found: ElementDefinition | undefined;
  for (const name of names) {
    const bare = name.replace(/\[x\]$/, '');
    found = current?.elements.find((element) => element.name === bare) ?? current?.slots.get(name)?.element;
    if (found === undefined) return undefined;
    current = shape(found.shapePath ?? current?.slots.get(name)?.type.code ?? '');
  }
  return found;
}

function codeSetReader(valueSets: ReadonlyMap<string, CodeList>): (valueSet: string) => CodeSet | undefined {
  const built = new Map<string, CodeSet>();
  return (valueSet) => {
    const known = built.get(valueSet);
    const list = valueSets.get(valueSet);
    if (known !== undefined || list === undefined) return known;
    const bySystem = new Map(Object.entries(list).map(([system, codes]) => [system, new Set(codes)]));
    const codes = new Set([...bySystem.values()].flatMap((each) => [...each]));
    const set = {
      hasCode: (code: string) => codes.has(code),
      has: (system: string, code: string) => bySystem.get(system)?.has(code) ?? false,
      codes: [...codes],
      systems: [...bySystem.keys()],
    };
    built.set(valueSet, set);
    return set;
  };
}

function readGenerated<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`generated/${name}`, import.meta.url), 'utf8')) as T;
}
