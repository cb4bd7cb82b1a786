// Search parameters that users define: indexed by the job, complete whatever other nodes write meanwhile, changed and
// removed.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { keysOf } from '#fhir/search/parameters/custom-parameter.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { ALL_ACCESS } from '../access.ts';
import { fhirStoreMigrations } from '../migrations.ts';
import { createFhirStore } from '../store.ts';
import { INDEX_TABLES } from './index-tables.ts';
import { parameterStep } from './parameter-job.ts';
import { createParameterOverlay, parameterChannel } from './parameter-overlay.ts';
import { withCustomParameters } from './parameter-registry.ts';
import { reindex } from './reindex.ts';

type Json = Readonly<Record<string, unknown>>;

const official = loadSearchParameters();

/** One node: it knows what it has last looked at. */
function createNode(db: Database) {
  const overlay = createParameterOverlay(official);
  const store = withCustomParameters(
    createFhirStore({ parameters: overlay.parameters, clock: { now: Date.now }, validate: () => [] }),
    official,
    parameterChannel(db),
  );
  const holder = newGuid();
  return {
    store,
    poll: () => overlay.refresh(db),
    step: () => parameterStep(db, overlay, holder),
    async work() {
      for (let isMore = true; isMore; ) isMore = await parameterStep(db, overlay, holder);
      await overlay.refresh(db);
    },
    async put(resource: Json, on?: Parameters<Parameters<Database['transaction']>[0]>[0]) {
      const source = readResourceText(JSON.stringify(resource));
      const id = String(resource['id']);
      const input = { resourceType: source.resourceType, id, source, organisation: null, access: ALL_ACCESS };
      return on === undefined ? db.transaction((tx) => store.update(tx, input)) : store.update(on, input);
    },
    async remove(resourceType: string, id: string) {
      return db.transaction((tx) => store.delete(tx, { resourceType, id, access: ALL_ACCESS }));
    },
    /** The ids found, sorted; undefined when there is no such parameter. */
    async find(type: string, query: string) {
      try {
        const parsed = store.parse(type, new URLSearchParams(`${query}&_count=500`), { isStrict: true });
        return (await store.search(db, parsed, { access: ALL_ACCESS })).matches.map(({ id }) => id).sort();
      } catch (error) {
        if (error instanceof ServiceError && /has no search parameter/.test(error.message)) return undefined;
        throw error;
      }
    },
  };
}

async function twoNodes(t: TestContext) {
  const schemas = [{ schema: 'fhir', migrations: [fhirStoreMigrations] }];
  const db = (await createTestDatabase({ after: (cleanUp) => t.after(cleanUp) }, { schemas })).database('fhir');
  return { db, a: createNode(db), b: createNode(db) };
}

const NICKNAME = {
  resourceType: 'SearchParameter',
  id: 'nickname',
  url: 'http://example.org/nickname',
  name: 'Nickname',
  status: 'active',
  code: 'nickname',
  description: 'x',
  base: ['Patient'],
  type: 'string',
  expression: "Patient.name.where(use = 'nickname').given",
};
const person = (id: string, nickname: string) => ({
  resourceType: 'Patient',
  id,
  name: [
    { use: 'official', family: 'Berg' },
    { use: 'nickname', given: [nickname] },
  ],
});

/** Leaves out the pause in which other nodes stop searching by what was before. */
async function settle(db: Database): Promise<void> {
  await db.query('UPDATE fhir_search_parameter SET starts_at = statement_timestamp()');
}

async function rowsOf(db: Database, type: string, code: string): Promise<number> {
  const counts = INDEX_TABLES.map(async ({ table }) => {
    const { rows } = await db.query<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE param = ANY($1::int[])`, [
      keysOf(type, code),
    ]);
    return rows[0]?.n ?? 0;
  });
  return (await Promise.all(counts)).reduce((sum, n) => sum + n, 0);
}

test('a new parameter is not known until the job has indexed what there is; then every node searches by it', async (t) => {
  const { db, a, b } = await twoNodes(t);
  for (let n = 0; n < 450; n += 1) await a.put(person(`p${n}`, n % 150 === 0 ? 'Lasse' : 'Bosse'));
  await a.put(NICKNAME);
  await a.poll();
  assert.equal(await a.find('Patient', 'nickname=lasse'), undefined);
  assert.equal(await a.step(), true);
  await a.poll();
  assert.equal(await a.find('Patient', 'nickname=lasse'), undefined);
  assert.ok((await rowsOf(db, 'Patient', 'nickname')) > 0);
  await a.work();
  assert.deepEqual(await a.find('Patient', 'nickname=lasse'), ['p0', 'p150', 'p300']);
  assert.deepEqual((await a.find('Patient', 'nickname:missing=true'))?.length, 0);
  assert.equal(await b.find('Patient', 'nickname=lasse'), undefined);
  await b.poll();
  assert.deepEqual(await b.find('Patient', 'nickname:exact=Lasse&_sort=nickname'), ['p0', 'p150', 'p300']);
});

test('parameters of every type, with what belongs to their modifiers, in chains and includes', async (t) => {
  const { a } = await twoNodes(t);
  const extension = (name: string, value: Json) => ({ url: `http://example.org/${name}`, ...value });
  await a.put({
    resourceType: 'Patient',
    id: 'p1',
    extension: [
      extension('colour', {
        valueCodeableConcept: { coding: [{ system: 'http://c.org', code: 'red', display: 'Rött' }] },
      }),
      extension('seen', { valueDate: '2024-05-06' }),
      extension('home', { valueReference: { reference: 'Location/l1' } }),
      extension('weight', {
        valueQuantity: { value: 60, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
      }),
      extension('page', { valueUri: 'http://example.org/me' }),
      extension('shoe', { valueInteger: 42 }),
    ],
  });
  await a.put({ resourceType: 'Location', id: 'l1', name: 'Hemmet' });
  const types = { colour: 'token', seen: 'date', home: 'reference', weight: 'quantity', page: 'uri', shoe: 'number' };
  for (const [code, type] of Object.entries(types)) {
    const expression = `Patient.extension('http://example.org/${code}').value`;
    const target = type === 'reference' ? { target: ['Location'] } : {};
    await a.put({ ...NICKNAME, id: code, url: `http://example.org/${code}`, code, type, expression, ...target });
  }
  await a.work();
  for (const query of [
    'colour=http://c.org|red',
    'colour:text=rött',
    'seen=2024-05',
    'home=Location/l1',
    'home.name=hemmet',
    'weight=gt59||kg',
    'page:below=http://example.org',
    'shoe=42',
    '_sort=-seen&shoe=gt41',
  ]) {
    assert.deepEqual(await a.find('Patient', query), ['p1'], query);
  }
  assert.deepEqual(await a.find('Location', '_has:Patient:home:shoe=42'), ['l1']);
  assert.deepEqual(await a.find('Patient', 'colour:not=http://c.org|red'), []);
});

test('what a node writes that does not know yet is indexed too, before, during and after the job', async (t) => {
  const { db, a, b } = await twoNodes(t);
  for (let n = 0; n < 250; n += 1) await b.put(person(`old${n}`, 'Bosse'));
  await a.put(NICKNAME);
  await b.put(person('before', 'Lasse'));
  await a.step();
  await b.put(person('during', 'Lasse'));
  for (const id of ['old0', 'old100', 'old249']) await b.put(person(id, 'Lasse'));
  const many = ['many1', 'many2'].map((id) => ({
    source: readResourceText(JSON.stringify(person(id, 'Lasse'))),
    id,
    organisation: null,
  }));
  await b.store.createMany(db, many);
  await a.work();
  const expected = ['before', 'during', 'many1', 'many2', 'old0', 'old100', 'old249'];
  assert.deepEqual(await a.find('Patient', 'nickname=lasse'), expected);
  await b.put(person('after', 'Lasse'));
  await b.put(person('old0', 'Bosse'));
  await b.remove('Patient', 'old100');
  await b.work();
  const later = ['after', 'before', 'during', 'many1', 'many2', 'old249'];
  assert.deepEqual(await a.find('Patient', 'nickname=lasse'), later);
  assert.deepEqual(await b.find('Patient', 'nickname=lasse'), later);
  assert.equal((await db.query('SELECT FROM fhir_late_index')).rowCount, 0);
  await b.put(person('knows', 'Lasse'));
  assert.equal((await db.query('SELECT FROM fhir_late_index')).rowCount, 0);
});

test('a transaction that was open before the definition is waited for', async (t) => {
  const { db, a, b } = await twoNodes(t);
  let commit = () => {};
  const open = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let isWritten = () => {};
  const written = new Promise<void>((resolve) => {
    isWritten = resolve;
  });
  const writing = db.transaction(async (tx) => {
    await b.put(person('hidden', 'Lasse'), tx);
    isWritten();
    await open;
  });
  await written;
  try {
    await a.put(NICKNAME);
    await a.work();
    assert.equal(await a.find('Patient', 'nickname=lasse'), undefined);
  } finally {
    commit();
  }
  await writing;
  await a.work();
  assert.deepEqual(await a.find('Patient', 'nickname=lasse'), ['hidden']);
});

test('nodes that write, define and index at the same time leave nothing out', async (t) => {
  const { db, a, b } = await twoNodes(t);
  let isDone = false;
  const writing = [a, b].map(async (node, writer) => {
    for (let n = 0; !isDone && n < 2000; n += 1)
      await node.put(person(`w${writer}n${n % 120}`, n % 2 === 0 ? 'Lasse' : 'Bosse'));
  });
  await a.put(NICKNAME);
  while ((await a.find('Patient', 'nickname=lasse')) === undefined) await Promise.all([a.work(), b.step()]);
  isDone = true;
  await Promise.all(writing);
  await Promise.all([a.work(), b.work()]);
  const { rows } = await db.query<{ id: string }>(
    `SELECT id FROM fhir_resource WHERE content LIKE '%Lasse%' ORDER BY id`,
  );
  assert.deepEqual(await b.find('Patient', 'nickname=lasse'), rows.map(({ id }) => id).sort());
});

test('a changed expression is indexed again; one that is retired, deleted or a draft is not used and leaves no rows', async (t) => {
  const { db, a, b } = await twoNodes(t);
  await a.put(person('p1', 'Lasse'));
  await a.put(NICKNAME);
  await a.work();
  await b.poll();
  await a.put({ ...NICKNAME, expression: 'Patient.name.family' });
  await a.poll();
  assert.equal(await a.find('Patient', 'nickname=berg'), undefined);
  // The other node still takes what it took before, from a resource that the job has passed.
  await settle(db);
  await a.work();
  await b.put(person('p2', 'Lasse'));
  await a.work();
  assert.deepEqual(await a.find('Patient', 'nickname=berg'), ['p1', 'p2']);
  assert.deepEqual(await a.find('Patient', 'nickname=lasse'), []);
  await a.put({ ...NICKNAME, expression: 'Patient.name.family', description: 'only words' });
  assert.equal((await db.query(`SELECT FROM fhir_search_parameter WHERE state = 'searchable'`)).rowCount, 1);
  await a.put({ ...NICKNAME, status: 'retired' });
  await a.poll();
  assert.equal(await a.find('Patient', 'nickname=berg'), undefined);
  await settle(db);
  await a.work();
  await b.put(person('p3', 'Lasse'));
  await a.work();
  assert.equal(await rowsOf(db, 'Patient', 'nickname'), 0);
  assert.equal((await db.query('SELECT FROM fhir_search_parameter')).rowCount, 0);
  await a.put(NICKNAME);
  await a.work();
  assert.deepEqual(await a.find('Patient', 'nickname=lasse'), ['p1', 'p2', 'p3']);
  await a.remove('SearchParameter', 'nickname');
  await settle(db);
  await a.work();
  assert.equal(await rowsOf(db, 'Patient', 'nickname'), 0);
  await a.put({ ...NICKNAME, status: 'draft' });
  await a.work();
  assert.equal(await a.find('Patient', 'nickname=lasse'), undefined);
});

test('of two that define the same parameter at once, one is refused; what another leaves may be taken over', async (t) => {
  const { db, a, b } = await twoNodes(t);
  const put = (node: typeof a, id: string) => node.put({ ...NICKNAME, id });
  const both = await Promise.allSettled([put(a, 'one'), put(b, 'two'), put(a, 'three'), put(b, 'four')]);
  const refused = both.flatMap((each) => (each.status === 'rejected' ? [each.reason as ServiceError] : []));
  assert.deepEqual([refused.length, ...new Set(refused.map(({ code }) => code))], [3, 'unprocessable']);
  assert.match(refused[0]?.message ?? '', /^SearchParameter\/\w+ defines nickname of Patient already$/);
  assert.equal((await db.query('SELECT FROM fhir_resource')).rowCount, 1);
  const { rows } = await db.query<{ id: string }>('SELECT id FROM fhir_resource');
  await a.put(person('p1', 'Lasse'));
  await a.remove('SearchParameter', rows[0]?.id ?? '');
  await put(b, 'heir');
  await settle(db);
  await a.work();
  assert.deepEqual(await a.find('Patient', 'nickname=lasse'), ['p1']);
});

test('of two whose names have the same number in the index, the second is refused until the first has left it', async (t) => {
  const { db, a } = await twoNodes(t);
  const [first, second] = ['ssforawtu', 'xrcntysrw'] as const;
  assert.equal(nameKey(`Patient.${first}`), nameKey(`Patient.${second}`));
  const put = (code: string) => a.put({ ...NICKNAME, id: code, code });
  const isRefused = (code: string, other: string) =>
    assert.rejects(
      put(code),
      (error) =>
        error instanceof ServiceError &&
        error.code === 'unprocessable' &&
        error.message ===
          `Patient.${code} cannot be told apart from Patient.${other} in the index: choose another code` &&
        error.issues?.[0]?.field === 'SearchParameter.code',
    );
  await put(first);
  await put(first);
  await isRefused(second, first);
  await a.work();
  await a.remove('SearchParameter', first);
  await isRefused(second, first);
  await settle(db);
  await a.work();
  await put(second);
  await settle(db);
  await a.work();
  await a.put(person('p1', 'Lasse'));
  assert.deepEqual(await a.find('Patient', `${second}=lasse`), ['p1']);
});

test('kedja reindex keeps what users define', async (t) => {
  const { db, a } = await twoNodes(t);
  await a.put(NICKNAME);
  await a.put(person('p1', 'Lasse'));
  await a.work();
  await reindex(db, official);
  assert.deepEqual(await a.find('Patient', 'nickname=lasse'), ['p1']);
});

test('a definition for all resources serves every type that is one', async (t) => {
  const { a } = await twoNodes(t);
  await a.put({ resourceType: 'Location', id: 'l1', meta: { source: 'http://s.org/x' } });
  await a.put({
    ...NICKNAME,
    id: 'rules',
    code: 'rules',
    base: ['Resource'],
    type: 'uri',
    expression: 'Resource.implicitRules',
  });
  await a.put({ resourceType: 'Practitioner', id: 'd1', implicitRules: 'http://r.org/1' });
  await a.work();
  assert.deepEqual(await a.find('Practitioner', 'rules=http://r.org/1'), ['d1']);
  assert.deepEqual(await a.find('Location', 'rules=http://r.org/1'), []);
});
