// Random resources and random searches: the server's result against that of the slow reference search (decisions E2,
// G6, G12). KEDJA_MODEL_RUNS sets the number of searches, KEDJA_MODEL_WORLDS that of sets of resources,
// KEDJA_MODEL_SEED repeats a failure.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestStore, type TestStore } from '#test/support/fhir/fhir-store.ts';
import { findCandidates } from './candidates.ts';
import { type Query, queries } from './queries.ts';
import {
  included,
  isInCompartment,
  makeWorld,
  matching,
  type StoredResource,
  sortValue,
  type View,
  type World,
} from './reference-search.ts';
import { makeResources } from './resources.ts';

const RUNS = Number(process.env['KEDJA_MODEL_RUNS'] ?? 250);
const WORLDS = Number(process.env['KEDJA_MODEL_WORLDS'] ?? 1);
const SEED = process.env['KEDJA_MODEL_SEED'];

async function fill({ put, clock, db }: TestStore, seed: number): Promise<World> {
  const all: StoredResource[] = [];
  for (const { resource, organisation } of makeResources(seed)) {
    clock.time += 60_000;
    const { resourceType, id, content, lastUpdated } = await put(resource, organisation);
    all.push({ type: resourceType, id, resource: JSON.parse(content), organisation, updatedAt: lastUpdated.getTime() });
  }
  await db.query('ANALYZE', []);
  return makeWorld(all);
}

function nameOf({ resourceType, id }: { readonly resourceType: string; readonly id: string }): string {
  return `${resourceType}/${id}`;
}

function viewOf(world: World, { access }: Query): View {
  return { world, access: (type) => access[type] ?? access['*'] ?? { kind: 'all' } };
}

function expectedMatches(query: Query, view: View): StoredResource[] {
  const { type, compartment, conditions } = query;
  const found = matching(type, conditions, view);
  return compartment === undefined
    ? found
    : found.filter((kept) => isInCompartment(kept, compartment.type, compartment.id));
}

/** Goes through all pages, comparing the total, the matches, their order and what comes with them. */
async function compare({ store, db }: TestStore, query: Query, world: World): Promise<void> {
  const view = viewOf(world, query);
  const expected = expectedMatches(query, view);
  const { type, conditions, sort, includes, count, compartment } = query;
  const pairs: [string, string][] = [
    ...conditions.map(([name, value]): [string, string] => [name, value]),
    ['_count', String(count)],
  ];
  if (sort.length > 0) pairs.push(['_sort', sort.join(',')]);
  for (const { direction, isIterated, value } of includes)
    pairs.push([`${direction}${isIterated ? ':iterate' : ''}`, value]);
  const seen: StoredResource[] = [];
  let cursor: string | undefined;
  do {
    const page = cursor === undefined ? pairs : [...pairs, ['_cursor', cursor] as [string, string]];
    const parsed = store.parse(type, page, { isStrict: true, ...(compartment === undefined ? {} : { compartment }) });
    const result = await store.search(db, parsed, { access: view.access });
    const matches = result.matches.map(
      (version) => world.byAddress.get(nameOf(version)) ?? assert.fail('unknown match'),
    );
    assert.equal(result.total, expected.length, 'total');
    const sent = result.included.map(nameOf);
    assert.equal(new Set(sent).size, sent.length, 'nothing is included twice');
    assert.deepEqual(sent.sort(), [...included(matches, includes, view)].sort(), 'included');
    seen.push(...matches);
    cursor = result.nextCursor;
    assert.ok(seen.length <= expected.length, `more matches than there are: ${seen.map(({ id }) => id)}`);
  } while (cursor !== undefined);
  assert.deepEqual(seen.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort(), 'matches');
  assertSorted(seen, sort);
}

function assertSorted(seen: readonly StoredResource[], sort: readonly string[]): void {
  for (const [index, kept] of seen.entries()) {
    const next = seen[index + 1];
    if (next !== undefined) assert.ok(isInOrder(kept, next, sort), `${kept.id} comes before ${next.id}`);
  }
}

function isInOrder(a: StoredResource, b: StoredResource, [key, ...more]: readonly string[]): boolean {
  if (key === undefined) return true;
  const [first, second] = [sortValue(a, key), sortValue(b, key)];
  if (first === second) return isInOrder(a, b, more);
  if (first === undefined || second === undefined) return second === undefined;
  return key.startsWith('-') ? first > second : first < second;
}

for (let number = 0; number < WORLDS; number += 1) {
  const seed = SEED === undefined ? randomInt(2 ** 30) : Number(SEED);
  test(`searches of world ${seed} find what the slow reference search finds`, async (t) => {
    const testStore = await createTestStore({ after: (end) => t.after(end) });
    const world = await fill(testStore, seed);
    const property = fc.asyncProperty(queries(findCandidates(world)), (query) => compare(testStore, query, world));
    await fc.assert(property, { seed, numRuns: RUNS });
  });
}
