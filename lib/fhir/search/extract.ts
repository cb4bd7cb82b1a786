// Reads of a resource what the search index keeps of it (docs/adr/0004): one walk along the paths of its type's search parameters
// (./extraction-plan.ts), which takes a fiftieth of what a FHIRPath engine takes.
import { parseReference } from '../references.ts';
import { type CompositeRow, compositeRows, positionRows } from './composites.ts';
import { datedRows } from './dated-codes.ts';
import type { SearchParameter, SearchParameters } from './definitions.ts';
import { type ExtractionPlan, extractionPlan, walkTree } from './extraction-plan.ts';
import { IndexCollector, type Reading } from './index-collector.ts';
import { nameKey, resourceKey } from './keys.ts';
import { branchValues } from './walks.ts';

export interface TokenRow {
  readonly param: number;
  readonly system: string;
  readonly code: string;
  /** Of the parameters that share the row: see ./shared-rows.ts. */
  readonly mask: number;
}
export interface ReferenceRow {
  readonly param: number;
  /** Key of the target's type; 0 for an address outside. */
  readonly targetType: number;
  readonly target: string;
}
export interface StringRow {
  readonly param: number;
  readonly value: string;
  /** As written; undefined for the beginnings of later words. */
  readonly exact: string | undefined;
  readonly mask: number;
}
export interface DateRow {
  readonly param: number;
  /** Milliseconds since 1970 UTC, both included. */
  readonly low: number;
  readonly high: number;
}
export interface QuantityRow {
  readonly param: number;
  readonly low: number;
  readonly high: number;
  readonly system: string;
  readonly code: string | undefined;
  readonly unit: string | undefined;
  readonly mask: number;
}
export interface UriRow {
  readonly param: number;
  readonly value: string;
}

/** The index rows of one resource, without doubles. */
export interface SearchValues {
  readonly tokens: TokenRow[];
  readonly references: ReferenceRow[];
  readonly strings: StringRow[];
  readonly dates: DateRow[];
  readonly quantities: QuantityRow[];
  readonly uris: UriRow[];
  readonly composites: CompositeRow[];
  /** The ids of the patients in whose compartment it lies. */
  readonly patients: string[];
  /** By which definitions: see {@link SearchParameters}. */
  readonly extraction: number;
  /** As whose addresses: see {@link SearchParameters}. */
  readonly baseUrl: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Answers the index rows of a resource that has been validated (or at least is an object with a `resourceType`). */
export function extractSearchValues(resource: Json, parameters: SearchParameters): SearchValues {
  const plan = extractionPlan(String(resource['resourceType']), parameters);
  const collector = new IndexCollector(parameters, plan.compartment);
  walkTree(plan.root, resource, collector.take);
  for (const parameter of plan.single) takeAll(resource, parameter, collector);
  addCompartment(resource, plan, collector);
  const values = collector.values();
  const { composites } = values;
  for (const parameter of plan.composites) composites.push(...compositeRows(resource, parameter, parameters.baseUrl));
  for (const parameter of plan.positions) composites.push(...positionRows(resource, parameter));
  if (plan.dated !== undefined) composites.push(...datedRows(plan.dated, values));
  return values;
}

/** Answers the index rows of one parameter, of any type but composite. */
export function extractParameter(resource: Json, parameter: SearchParameter, reading: Reading): SearchValues {
  const collector = new IndexCollector(reading, NO_KEYS);
  takeAll(resource, parameter, collector);
  return collector.values();
}

const NO_KEYS: ReadonlySet<number> = new Set();

function takeAll(resource: Json, parameter: SearchParameter, { take }: IndexCollector): void {
  for (const value of branchValues(resource, parameter)) take(parameter, value);
}

/** A patient lies in its own compartment. */
function addCompartment({ id }: Json, { isPatient, compartmentKey }: ExtractionPlan, collector: IndexCollector): void {
  const { patients } = collector;
  if (isPatient && typeof id === 'string' && !patients.includes(id)) patients.unshift(id);
  for (const patient of patients) {
    const target = resourceKey(patient);
    collector.addReference({ param: compartmentKey, targetType: nameKey('Patient'), target });
  }
}

/** The ids of the patients in whose compartment a resource lies. */
export function compartmentPatients(resource: Json, parameters: SearchParameters): string[] {
  const type = String(resource['resourceType']);
  const found = new Set<string>();
  if (type === 'Patient' && typeof resource['id'] === 'string') found.add(resource['id']);
  for (const code of parameters.compartmentParameters('Patient', type)) {
    const parameter = parameters.forType(type).get(code);
    for (const value of parameter === undefined ? [] : branchValues(resource, parameter)) {
      const target = value.kind === 'reference' ? parseReference(value.reference, parameters.baseUrl) : undefined;
      if (target?.kind === 'relative' && target.type === 'Patient') found.add(target.id);
    }
  }
  return [...found];
}
