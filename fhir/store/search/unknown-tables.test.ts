// Searches of tables that PostgreSQL has not analysed yet read about as much as they need (docs/adr/0164), and find the
// same as afterwards. It counts rows, not time.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import type { Queryable } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { type Access, ALL_ACCESS } from '../access.ts';

const { store, db } = await createTestStore({ after });

const [OWN, OTHER] = ['019a0000-0000-7000-8000-00000000000a', '019a0000-0000-7000-8000-00000000000b'];
const PATIENTS = 400;
const OBSERVATIONS = 5;
const RESOURCES = PATIENTS * (1 + OBSERVATIONS);
const patients = Array.from({ length: PATIENTS }, () => newGuid());
const limited: Access = () => ({ kind: 'organisations', guids: [OWN] });

function* resources(): Generator<{ readonly organisation: string; readonly resource: { readonly id: string } }> {
  for (const [index, id] of patients.entries()) {
    const organisation = index % 3 === 0 ? OTHER : OWN;
    const name = [{ family: `Ahl${index}`, given: [index % 2 === 0 ? 'Anna' : 'Bo'] }];
    yield { organisation, resource: { resourceType: 'Patient', id, gender: 'female', name } as { id: string } };
    for (let nth = 0; nth < OBSERVATIONS; nth += 1) {
      const resource = {
        resourceType: 'Observation',
        id: newGuid(),
        status: nth === 0 ? 'amended' : 'final',
        code: { coding: [{ system: 'urn:s', code: 'common' }] },
        subject: { reference: `Patient/${id}` },
        effectiveDateTime: new Date(Date.UTC(2026, 0, 1) + (index * OBSERVATIONS + nth) * 3_600_000).toISOString(),
      };
      yield { organisation, resource };
    }
  }
}

before(async () => {
  const { rows } = await db.query<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
       AND starts_with(relname, 'fhir_')`,
  );
  for (const { name } of rows) await db.query(`ALTER TABLE ${name} SET (autovacuum_enabled = false)`);
  const items = await Promise.all(
    Array.from(resources(), ({ resource, organisation }) =>
      store.prepareBulk({ id: resource.id, source: readResourceText(JSON.stringify(resource)), organisation }),
    ),
  );
  await db.transaction((tx) => store.writeBulk(tx, items, () => true), { copies: true });
});

interface PlanNode {
  readonly Plans?: readonly PlanNode[];
  readonly [figure: string]: unknown;
}

/** The rows that a statement has read and compared. */
function rowsOf(node: PlanNode): number {
  const loops = Number(node['Actual Loops'] ?? 0);
  const each = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Join Filter'];
  const own = each.reduce((sum, name) => sum + Number(node[name] ?? 0), 0) * loops;
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), own);
}

/** What the search finds, and the rows that its statements have read. Each `name` has counts of its own. */
async function search(name: string, [type, text]: readonly [string, string], access: Access) {
  let read = 0;
  const explained: Queryable = {
    query: async (statement, values) => {
      const sql = typeof statement === 'string' ? statement : statement.text;
      const { rows } = await db.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        values,
      );
      read += rowsOf(rows[0]?.['QUERY PLAN'][0].Plan ?? {});
      return db.query(statement, values);
    },
  };
  const parsed = store.parse(type, [...new URLSearchParams(text)], { isStrict: true });
  const { matches, total } = await store.search(explained, parsed, { access, store: name });
  return { read, found: { total, ids: matches.map(({ id }) => id) } };
}

const SEARCHES: readonly (readonly [string, string])[] = [
  ['Patient', 'gender=female&_sort=family'],
  ['Patient', 'name=anna&_has:Observation:patient:status=amended'],
  ['Patient', '_has:Observation:patient:code=urn:s|common'],
  ['Observation', 'code=urn:s|common&_sort=-date'],
  ['Observation', 'status=final&code=urn:s|common'],
  ['Observation', 'patient.name=anna'],
  ['Observation', '_sort=-date'],
  ['Observation', `patient=Patient/${patients[1]}&_sort=-date`],
];

test('each resource is read a few times, and not all for each of them', async () => {
  const searches = SEARCHES.flatMap((each) => [
    { each, access: limited, name: 'limited' },
    { each, access: ALL_ACCESS, name: 'all' },
  ]);
  const earlier = [];
  for (const { each, access, name } of searches) {
    const { read, found } = await search(`${name} before`, each, access);
    assert.ok(read < 30 * RESOURCES, `${name}: ${each.join('?')}: ${read} rows`);
    earlier.push(found);
  }
  await db.query('ANALYZE');
  for (const [index, { each, access, name }] of searches.entries()) {
    const { found } = await search(`${name} after`, each, access);
    assert.deepEqual(found, earlier[index], `${name}: ${each.join('?')}`);
  }
});
