// Conditions that are all common are counted as an intersection of sets of keys (docs/adr/0160). That it finds the same
// as every other plan is in search-plans.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import type { Queryable } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { type Access, ALL_ACCESS } from '../access.ts';

const hooks = lastFirst({ after });
const { store, db, put } = await createTestStore(hooks);
const other = await createTestStore(hooks);

const ORG = '019a0000-0000-7000-8000-00000000000a';
const COUNT = 2_000;
const BATCH = 500;
/** Most are final, most have the code; a thousand are both. The first five have a code that is rare. */
const isFinal = (index: number) => index % 4 !== 0;
const isOfCode = (index: number) => index % 3 !== 0;
const isOfOrganisation = (index: number) => index % 5 !== 0;
const numbers = Array.from({ length: COUNT }, (_, index) => index);

before(async () => {
  await put({ resourceType: 'Patient', id: 'p', name: [{ family: 'Ahl' }] });
  for (let from = 0; from < COUNT; from += BATCH) {
    const items = await Promise.all(
      numbers.slice(from, from + BATCH).map((index) => {
        const codes = [isOfCode(index) ? 'common' : 'other', ...(index < 5 ? ['rare'] : [])];
        const resource = {
          resourceType: 'Observation',
          id: newGuid(),
          status: isFinal(index) ? 'final' : 'amended',
          code: { coding: codes.map((code) => ({ system: 'urn:s', code })) },
          subject: { reference: 'Patient/p' },
          effectiveDateTime: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
        };
        const source = readResourceText(JSON.stringify(resource));
        return store.prepareBulk({ id: resource.id, source, organisation: isOfOrganisation(index) ? ORG : null });
      }),
    );
    await db.transaction((tx) => store.writeBulk(tx, items, () => true), { copies: true });
  }
  // As autovacuum does it: without statistics the planner checks who sees each resource in an order that is slow.
  await db.query('ANALYZE');
});

/** What the search finds, and whether one of its statements intersects. */
async function search(query: string, access: Access = ALL_ACCESS, of = { store, db }) {
  const texts: string[] = [];
  const recorded: Queryable = {
    query: (statement, values) => {
      texts.push(typeof statement === 'string' ? statement : statement.text);
      return of.db.query(statement, values);
    },
  };
  const parsed = of.store.parse('Observation', [...new URLSearchParams(query)], { isStrict: true });
  const { total, matches, nextCursor } = await of.store.search(recorded, parsed, { access });
  const dates = matches.map(({ content }) => String(JSON.parse(content).effectiveDateTime));
  return { total, dates, nextCursor, intersects: texts.some((text) => text.includes(' INTERSECT ')) };
}

const isBoth = (index: number) => isFinal(index) && isOfCode(index);

test('two common conditions', async () => {
  const found = await search('status=final&code=urn:s|common&_count=10');
  assert.equal(found.total, numbers.filter(isBoth).length);
  assert.equal(found.dates.length, 10);
  assert.ok(found.intersects);
});

test('with a chain, sorted', async () => {
  const found = await search('status=final&code=urn:s|common&subject:Patient.name=ahl&_sort=-date&_count=3');
  const latest = numbers.filter(isBoth).slice(-3).reverse();
  assert.equal(found.total, numbers.filter(isBoth).length);
  assert.deepEqual(
    found.dates,
    latest.map((index) => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString()),
  );
  assert.ok(found.intersects);
});

test('for a caller who sees the records of one organisation, and for a count alone', async () => {
  const seen = numbers.filter((index) => isBoth(index) && isOfOrganisation(index)).length;
  for (const query of ['_count=1', '_summary=count', '_count=1&_total=accurate']) {
    const found = await search(`status=final&code=urn:s|common&${query}`, () => ({
      kind: 'organisations',
      guids: [ORG],
    }));
    assert.equal(found.total, seen, query);
    assert.ok(found.intersects, query);
  }
});

test('a rare condition is where the search starts instead', async () => {
  const found = await search('status=final&code=urn:s|rare');
  assert.equal(found.total, numbers.filter((index) => index < 5 && isFinal(index)).length);
  assert.equal(found.intersects, false);
});

test('what one store has counted is not taken for the tables of another', async () => {
  const query = 'status=final&code=urn:s|common';
  await other.put({
    resourceType: 'Observation',
    id: 'one',
    status: 'final',
    code: { coding: [{ system: 'urn:s', code: 'common' }] },
  });
  assert.ok((await search(query)).intersects);
  const found = await search(query, ALL_ACCESS, other);
  assert.equal(found.total, 1);
  assert.equal(found.intersects, false);
});
