// Invariants of ExampleScenario in TypeScript (hl7.org/fhir/R5/examplescenario.html): their FHIRPath reads the whole
// resource again for each of its actors, instances and operations.
import { isJsonObject, type JsonObject, type ValidationContext } from '../context.ts';
import { has, objectsIn, on, type Test } from './predicates.ts';

/** The keys that a scenario declares and uses. */
interface Scenario {
  readonly actors: ReadonlySet<unknown>;
  /** Keys of the versions of each instance. */
  readonly instances: ReadonlyMap<unknown, ReadonlySet<unknown>>;
  /** Actors named by the operations of the processes. */
  readonly usedActors: ReadonlySet<unknown>;
  /** Versions named, of each instance named in the processes. */
  readonly usedInstances: ReadonlyMap<unknown, ReadonlySet<unknown>>;
}

const known = new WeakMap<JsonObject, Scenario>();

/** The tests by `Type/key`; each is true when the invariant holds. */
export const SCENARIO_RULES: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['ExampleScenario/exs-14', within(({ instanceReference }, { instances }) => instances.has(instanceReference))],
  [
    'ExampleScenario/exs-15',
    within(
      (value, { instances }) =>
        has(value, 'versionReference') || (instances.get(value['instanceReference'])?.size ?? 0) === 0,
    ),
  ],
  [
    'ExampleScenario/exs-16',
    within(
      (value, { instances }) =>
        !has(value, 'versionReference') ||
        instances.get(value['instanceReference'])?.has(value['versionReference']) === true,
    ),
  ],
  ['ExampleScenario/exs-17', within((value, { actors }) => isActor(value, 'initiator', actors))],
  ['ExampleScenario/exs-18', within((value, { actors }) => isActor(value, 'receiver', actors))],
  ['ExampleScenario/exs-19', within(({ key }, { usedActors }) => usedActors.has(key))],
  ['ExampleScenario/exs-20', within(({ key }, { usedInstances }) => usedInstances.has(key))],
  ['ExampleScenario/exs-21', within(usesOneOfItsVersions)],
]);

function within(test: (value: JsonObject, scenario: Scenario) => boolean): Test {
  return on((value, context) => test(value, scenarioOf(context)));
}

function isActor(operation: JsonObject, role: string, actors: ReadonlySet<unknown>): boolean {
  return !has(operation, role) || operation[role] === 'OTHER' || actors.has(operation[role]);
}

function usesOneOfItsVersions(instance: JsonObject, { usedInstances }: Scenario): boolean {
  const versions = objectsIn(instance, 'version');
  const used = usedInstances.get(instance['key']);
  return versions.length === 0 || versions.some(({ key }) => key !== undefined && used?.has(key) === true);
}

function scenarioOf({ resource }: ValidationContext): Scenario {
  const found = known.get(resource) ?? readScenario(resource);
  known.set(resource, found);
  return found;
}

function readScenario(resource: JsonObject): Scenario {
  const usedActors = new Set<unknown>();
  const usedInstances = new Map<unknown, Set<unknown>>();
  for (const { operation, instanceReference, versionReference } of objectsBelow(objectsIn(resource, 'process'))) {
    if (isJsonObject(operation)) for (const role of ['initiator', 'receiver']) addKey(usedActors, operation[role]);
    if (instanceReference !== undefined) addKey(setOf(usedInstances, instanceReference), versionReference);
  }
  const actors = new Set<unknown>();
  for (const { key } of objectsIn(resource, 'actor')) addKey(actors, key);
  const instances = new Map<unknown, Set<unknown>>();
  for (const instance of objectsIn(resource, 'instance')) {
    if (instance['key'] === undefined) continue;
    const versions = setOf(instances, instance['key']);
    for (const { key } of objectsIn(instance, 'version')) addKey(versions, key);
  }
  return { actors, instances, usedActors, usedInstances };
}

/** Adds a key; an object without one equals no other (FHIRPath: empty = empty is empty). */
function addKey(keys: Set<unknown>, key: unknown): void {
  if (key !== undefined) keys.add(key);
}

function setOf(sets: Map<unknown, Set<unknown>>, key: unknown): Set<unknown> {
  const found = sets.get(key) ?? new Set();
  sets.set(key, found);
  return found;
}

/** The objects and all objects within them; the list grows during the loop. */
function objectsBelow(objects: JsonObject[]): JsonObject[] {
  const found = [...objects];
  for (const object of found) {
    for (const value of Object.values(object).flat()) if (isJsonObject(value)) found.push(value);
  }
  return found;
}
