// Extracts the search index rows of a resource (docs/adr/0004) in one walk along the paths of its type's search
// parameters (./extraction-plan.ts). It is about fifty times faster than a FHIRPath engine.
import { parseReference } from '../../resources/references.ts';
import type { SearchParameter, SearchParameters } from '../parameters/definitions.ts';
import { branchValues } from './branch-values.ts';
import { type CompositeRow, compositeRows, positionRows } from './composites.ts';
import { datedRows } from './dated-codes.ts';
import { parameterKeys } from './derived-keys.ts';
import { type ExtractionPlan, extractionPlan, walkTree } from './extraction-plan.ts';
import { IndexCollector, type Reading } from './index-collector.ts';
import { nameKey, resourceKey } from './keys.ts';
import { findOtherPatient } from './named-patients.ts';
import type { SearchValues } from './search-values.ts';
import { CONTEXT_KEY, securityContextOf } from './security-context.ts';

type Json = Readonly<Record<string, unknown>>;

/** The index rows of a validated resource (or at least an object with a `resourceType`). */
export function extractSearchValues(resource: Json, parameters: SearchParameters): SearchValues {
  const plan = extractionPlan(String(resource['resourceType']), parameters);
  const collector = new IndexCollector(parameters, plan.compartment);
  walkTree(plan.root, resource, collector.take);
  for (const parameter of plan.single) takeAll(resource, parameter, collector);
  addCompartment(resource, plan, collector);
  if (!plan.isPatient) addNamed(resource, plan, { collector, baseUrl: parameters.baseUrl });
  addContext(resource, collector, parameters.baseUrl);
  const values = collector.values();
  const { composites } = values;
  const add = (rows: readonly CompositeRow[]): void => {
    for (const row of rows) composites.push(row);
  };
  for (const parameter of plan.composites) add(compositeRows(resource, parameter, parameters.baseUrl));
  for (const parameter of plan.positions) add(positionRows(resource, parameter));
  if (plan.dated !== undefined) add(datedRows(plan.dated, values));
  return values;
}

/** The index rows of one parameter of any type but composite. */
export function extractParameter(resource: Json, parameter: SearchParameter, reading: Reading): SearchValues {
  const collector = new IndexCollector(reading, NO_KEYS);
  takeAll(resource, parameter, collector);
  return collector.values();
}

const NO_KEYS: ReadonlySet<number> = new Set();

function takeAll(resource: Json, parameter: SearchParameter, { take }: IndexCollector): void {
  const keys = parameterKeys(parameter);
  for (const value of branchValues(resource, parameter)) take(keys, value);
}

/** A Patient belongs to its own compartment. */
function addCompartment({ id }: Json, { isPatient, compartmentKey }: ExtractionPlan, collector: IndexCollector): void {
  if (isPatient && typeof id === 'string') collector.patients.add(id);
  for (const patient of collector.patients.texts) {
    const target = resourceKey(patient);
    collector.addReference({ param: compartmentKey, targetType: nameKey('Patient'), target });
  }
}

/** Adds the reference that decides who may read a Binary. */
function addContext(resource: Json, collector: IndexCollector, baseUrl: string | undefined): void {
  const context = securityContextOf(resource, baseUrl);
  if (context === undefined) return;
  collector.addReference({
    param: CONTEXT_KEY,
    targetType: nameKey(context.type),
    target: resourceKey(context.id),
  });
}

/** A resource in several patients' compartments names each of them by that. */
function addNamed(
  resource: Json,
  { namedKey }: ExtractionPlan,
  { collector, baseUrl }: { readonly collector: IndexCollector; readonly baseUrl: string | undefined },
): void {
  const [own, another] = collector.patients.texts;
  if (own === undefined || another !== undefined) return;
  const other = findOtherPatient(resource, [own], baseUrl);
  if (other === undefined) return;
  collector.addReference({ param: namedKey, targetType: nameKey('Patient'), target: resourceKey(other) });
}

/**
 * Whether a resource is in the compartment of this patient and names no other patient (docs/adr/0049). `ids` are those
 * of all Patients who are this person (docs/adr/0068).
 */
export function concernsOnlyPatient(resource: Json, ids: readonly string[], parameters: SearchParameters): boolean {
  const patients = compartmentPatients(resource, parameters);
  if (patients.length === 0 || !patients.every((patient) => ids.includes(patient))) return false;
  return resource['resourceType'] === 'Patient' || findOtherPatient(resource, ids, parameters.baseUrl) === undefined;
}

/** The ids of the patients to whose compartments a resource belongs. */
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
