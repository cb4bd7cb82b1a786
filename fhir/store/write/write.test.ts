// Writing and reading single resources: unchanged text, versions, and races that the database settles.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import type { PreparedStatement, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import { skipOnCitus } from '#test/support/database/citus.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { type Access, ALL_ACCESS } from '../access.ts';

const { store, db, clock, put, find } = await createTestStore({ after }, (resource) =>
  resource['resourceType'] === 'Basic'
    ? [
        { message: 'a', field: 'Basic.x' },
        { message: 'b', severity: 'warning' },
      ]
    : [],
);

function code(expected: string): (error: unknown) => boolean {
  return (error) => error instanceof ServiceError && error.code === expected;
}

function update(text: string, ifMatch?: number) {
  const source = readResourceText(text);
  const id = String(source.resource['id']);
  const input = { resourceType: source.resourceType, id, source, organisation: null, access: ALL_ACCESS };
  return db.transaction((tx) =>
    store.update(tx, { ...input, ...(ifMatch === undefined ? {} : { ifMatch: [ifMatch] }) }),
  );
}

const remove = (resourceType: string, id: string) =>
  db.transaction((tx) => store.delete(tx, { resourceType, id, access: ALL_ACCESS }));

test('what a client wrote comes back as written, but for id and meta', async () => {
  const text =
    '{"valueQuantity": {"value": 1.0e0,  "unit":"é\\u00e9"}, "status":"final","resourceType":"Observation","id":"mine"}';
  const created = await store.create(db, { source: readResourceText(text), organisation: null });
  assert.ok(isGuid(created.id));
  const read = await store.read(db, created, ALL_ACCESS);
  const meta = '"meta":{"versionId":"1","lastUpdated":"2026-01-01T00:00:00.000Z"}';
  assert.equal(
    read.content,
    `{"resourceType":"Observation","id":"${created.id}",${meta},"valueQuantity": {"value": 1.0e0,  "unit":"é\\u00e9"}, "status":"final"}`,
  );
});

test('no part of a write hands its long content to the others: PostgreSQL copies it at each scan of a row', {
  skip: skipOnCitus('the plan of a worker is another'),
}, async () => {
  const long = (id: string) => JSON.stringify({ resourceType: 'Patient', id, name: [{ text: 'a'.repeat(70_000) }] });
  const handed: string[] = [];
  async function explained(id: string): Promise<void> {
    const source = readResourceText(long(id));
    await db.transaction((tx) => {
      const query: Transaction['query'] = async (statement, values) => {
        const text = typeof statement === 'string' ? statement : statement.text;
        if (/^WITH/.test(text)) {
          const { rows } = await tx.query<{ plan: unknown }>(`EXPLAIN (VERBOSE, FORMAT JSON) ${text}`, values);
          handed.push(...outputsOfParts(Object.values(rows[0] ?? {})));
        }
        return tx.query(statement, values);
      };
      const input = { resourceType: source.resourceType, id, source, organisation: null, access: ALL_ACCESS };
      return store.update({ ...tx, query }, input);
    });
  }
  await explained('long');
  await explained('long');
  assert.ok(handed.length > 0, 'the statements have parts');
  assert.deepEqual(
    handed.filter((output) => /content/.test(output)),
    [],
  );
});

/** What each `WITH` query of a plan hands on: its columns. */
function outputsOfParts(plan: unknown): string[] {
  if (typeof plan !== 'object' || plan === null) return [];
  const { 'Subplan Name': name, Output: output } = plan as { 'Subplan Name'?: string; Output?: string[] };
  const own = name?.startsWith('CTE ') && output !== undefined ? [`${name}: ${output.join(', ')}`] : [];
  return [...own, ...Object.values(plan).flatMap(outputsOfParts)];
}

test('an update keeps the older versions and moves the index', async () => {
  await update('{"resourceType":"Patient","id":"v1","gender":"male"}');
  clock.time += 1000;
  const second = await update('{"resourceType":"Patient","id":"v1","gender":"female"}');
  assert.deepEqual([second.kind, second.version.version], ['updated', 2]);
  assert.deepEqual(await find('Patient', 'gender=male&_id=v1'), []);
  assert.deepEqual(await find('Patient', 'gender=female&_id=v1'), ['v1']);
  const first = await store.vread(db, { resourceType: 'Patient', id: 'v1', version: 1 }, ALL_ACCESS);
  assert.match(first.content, /"gender":"male"/);
  await assert.rejects(
    store.vread(db, { resourceType: 'Patient', id: 'v1', version: 3 }, ALL_ACCESS),
    code('not_found'),
  );
});

test('a deleted resource is gone, is not found by search, and continues its versions when made again', async () => {
  await update('{"resourceType":"Patient","id":"d1","active":true}');
  assert.equal((await remove('Patient', 'd1'))?.version, 2);
  assert.equal(await remove('Patient', 'd1'), undefined);
  await assert.rejects(store.read(db, { resourceType: 'Patient', id: 'd1' }, ALL_ACCESS), code('deleted'));
  await assert.rejects(store.vread(db, { resourceType: 'Patient', id: 'd1', version: 2 }, ALL_ACCESS), code('deleted'));
  assert.deepEqual(await find('Patient', '_id=d1'), []);
  const again = await update('{"resourceType":"Patient","id":"d1","active":true}');
  assert.deepEqual([again.kind, again.version.version], ['created', 3]);
  const { versions } = await store.history(db, { resourceType: 'Patient', id: 'd1', count: 10 }, ALL_ACCESS);
  assert.deepEqual(
    versions.map(({ version, isDeleted }) => [version, isDeleted]),
    [
      [3, false],
      [2, true],
      [1, false],
    ],
  );
});

test('the same id may be used by several types', async () => {
  const id = '019a0000-0000-7000-8000-000000000001';
  await put({ resourceType: 'Patient', id, active: true });
  await put({ resourceType: 'Practitioner', id, active: true });
  await remove('Practitioner', id);
  assert.deepEqual(await find('Patient', `active=true&_id=${id}`), [id]);
  await assert.rejects(store.read(db, { resourceType: 'Practitioner', id }, ALL_ACCESS), code('deleted'));
});

test('a resource with errors is refused with every error; a warning is none', async () => {
  const source = readResourceText('{"resourceType":"Basic"}');
  await assert.rejects(store.create(db, { source, organisation: null }), (error: unknown) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.code, 'unprocessable');
    assert.equal(error.issues.length, 2);
    return true;
  });
  assert.deepEqual(await find('Basic', ''), []);
});

test('the id in the text must be the one addressed', async () => {
  const source = readResourceText('{"resourceType":"Patient","id":"one"}');
  const input = { resourceType: 'Patient', id: 'other', source, organisation: null, access: ALL_ACCESS };
  await assert.rejects(
    db.transaction((tx) => store.update(tx, input)),
    code('invalid_request'),
  );
});

test('of 50 updates of the same version exactly one succeeds', async () => {
  await update('{"resourceType":"Patient","id":"race"}');
  const results = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) =>
      update(`{"resourceType":"Patient","id":"race","language":"x-${index}"}`, 1),
    ),
  );
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const result of results) if (result.status === 'rejected') assert.ok(code('precondition_failed')(result.reason));
  assert.equal((await store.read(db, { resourceType: 'Patient', id: 'race' }, ALL_ACCESS)).version, 2);
});

test('50 first updates of one id make one resource with 50 versions', async () => {
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, index) => update(`{"resourceType":"Patient","id":"first","language":"x-${index}"}`)),
  );
  assert.equal(results.filter(({ kind }) => kind === 'created').length, 1);
  const versions = results.map(({ version }) => version.version).sort((a, b) => a - b);
  assert.deepEqual(
    versions,
    Array.from({ length: 50 }, (_, index) => index + 1),
  );
  assert.equal((await find('Patient', '_id=first')).length, 1);
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*) AS count FROM fhir_token WHERE code LIKE 'x-%' AND rid = (SELECT rid FROM fhir_resource WHERE id = 'first')`,
  );
  assert.equal(rows[0]?.count, 1);
});

test('of 50 conditional creates one creates and all others are given what it made', async () => {
  const source = readResourceText('{"resourceType":"Patient","identifier":[{"system":"urn:x","value":"19"}]}');
  const condition = store.parse('Patient', [['identifier', 'urn:x|19']]);
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, () =>
      db.transaction((tx) =>
        store
          .resolve(tx, condition, { access: ALL_ACCESS })
          .then((found) => found ?? store.create(tx, { source, organisation: null })),
      ),
    ),
  );
  assert.equal(new Set(outcomes.map(({ id }) => id)).size, 1);
  assert.equal((await find('Patient', 'identifier=urn:x|19')).length, 1);
});

test('a conditional create with several candidates is refused', async () => {
  const resource = { resourceType: 'Patient', identifier: [{ value: 'twice' }] };
  await put(resource);
  await put(resource);
  const condition = store.parse('Patient', [['identifier', 'twice']]);
  const attempt = db.transaction((tx) => store.resolve(tx, condition, { access: ALL_ACCESS }));
  await assert.rejects(attempt, code('precondition_failed'));
});

test('a write stands or falls with the transaction it is part of', async () => {
  const source = readResourceText('{"resourceType":"Patient","id":"undone","active":true}');
  const attempt = db.transaction(async (tx) => {
    await store.update(tx, { resourceType: 'Patient', id: 'undone', source, organisation: null, access: ALL_ACCESS });
    throw new Error('no');
  });
  await assert.rejects(attempt, /no/);
  await assert.rejects(store.read(db, { resourceType: 'Patient', id: 'undone' }, ALL_ACCESS), code('not_found'));
});

test('history of a type is paged, newest first, and narrowed by time', async () => {
  const start = clock.time;
  for (let index = 0; index < 5; index += 1) {
    clock.time += 1000;
    await update(`{"resourceType":"Location","id":"l${index % 2}","name":"n${index}"}`);
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.history(
      db,
      { resourceType: 'Location', id: undefined, count: 2, ...(cursor === undefined ? {} : { cursor }) },
      ALL_ACCESS,
    );
    seen.push(...page.versions.map(({ id, version }) => `${id}/${version}`));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.deepEqual(seen, ['l0/3', 'l1/2', 'l0/2', 'l1/1', 'l0/1']);
  const query = { resourceType: 'Location', id: undefined, count: 10 };
  const recent = await store.history(db, { ...query, since: new Date(start + 4000) }, ALL_ACCESS);
  assert.deepEqual(
    recent.versions.map(({ id, version }) => `${id}/${version}`),
    ['l0/3', 'l1/2'],
  );
  const moment = new Date(start + 2500);
  const then = await store.history(db, { ...query, at: { from: moment, to: moment } }, ALL_ACCESS);
  assert.deepEqual(
    then.versions.map(({ id, version }) => `${id}/${version}`),
    ['l1/1', 'l0/1'],
  );
});

test('many resources are stored at once, each id once, and found', async () => {
  const id = '019a0000-0000-7000-8000-0000000000aa';
  const inputs = Array.from({ length: 700 }, (_, index) => ({
    source: readResourceText(
      index % 2 === 0
        ? `{"resourceType":"Device","serialNumber":"many ${index}"}`
        : `{"resourceType":"Encounter","status":"planned","subject":{"reference":"Patient/many-${index}"}}`,
    ),
    organisation: null,
    ...(index === 0 || index === 2 ? { id } : {}),
  }));
  const stored = await store.createMany(db, inputs);
  assert.equal(stored.length, 699);
  assert.deepEqual(await store.createMany(db, inputs.slice(0, 1)), []);
  assert.deepEqual(await find('Device', 'serial-number:exact=many 0'), [id]);
  assert.deepEqual(await find('Device', 'serial-number:exact=many 2'), []);
  assert.equal((await find('Device', 'serial-number=many&_count=1000')).length, 349);
  assert.equal((await find('Encounter', 'patient=many-1')).length, 1);
  assert.equal((await store.read(db, { resourceType: 'Device', id }, ALL_ACCESS)).version, 1);
});

test('of two who make the same resource at once, the later one changes what the earlier one made', async () => {
  const organisation = '019a0000-0000-7000-8000-00000000000a';
  const source = readResourceText('{"resourceType":"Patient","id":"together"}');
  const access: Access = () => ({ kind: 'organisations', guids: [organisation] });
  const input = { resourceType: 'Patient', id: 'together', source, organisation, access };
  const outcome = await db.transaction((tx) => {
    let isFirst = true;
    const query = async <R extends object>(statement: string | PreparedStatement, values?: readonly unknown[]) => {
      const found = await tx.query<R>(statement, values);
      if (isFirst) {
        isFirst = false;
        await db.transaction((other) => store.update(other, input));
      }
      return found;
    };
    return store.update({ ...tx, query }, input);
  });
  assert.deepEqual([outcome.kind, outcome.version.version], ['updated', 2]);
});
