// `kedja tenant distribute`, and a move of a distributed tenant, on a PostgreSQL with stand-ins for what Citus adds.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { openLongConnection } from '#lib/db/long-connection.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { startCommand } from '#test/support/system/processes.ts';
import { requireMovable } from './replication.ts';

const SCHEMAS = ['north_engine', 'north_dispatch'];
const hooks = lastFirst({ after });
const { url, database } = await createTestDatabase(hooks);
const db = database('public');
const folder = await mkdtemp(path.join(tmpdir(), 'kedja-distribute-'));
hooks.after(() => rm(folder, { recursive: true }));

for (const schema of SCHEMAS) {
  await db.query(`CREATE SCHEMA ${schema}`);
  await db.query(`CREATE TABLE ${schema}.item (id integer); CREATE TABLE ${schema}.plain (id integer)`);
  await db.query(`CREATE FUNCTION ${schema}.count_item() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`);
  await db.query(`CREATE TRIGGER count_item AFTER INSERT ON ${schema}.item EXECUTE FUNCTION ${schema}.count_item()`);
}

/** The command, with the setting of the database that Citus asks for, or without it. */
async function distribute(setting?: string) {
  const address = new URL(url);
  if (setting !== undefined) address.searchParams.set('options', `-c citus.enable_unsafe_triggers=${setting}`);
  const file = path.join(folder, 'tenants.json');
  await writeFile(file, JSON.stringify({ tenants: [{ name: 'north', schema: 'north', database: address.href }] }));
  const environment = { KEDJA_DATABASE_URL: url, KEDJA_DATA_DIR: folder, KEDJA_TENANTS_FILE: file };
  return startCommand(['tenant', 'distribute', 'north'], environment).ended;
}

const triggers = async () =>
  (await db.query<{ state: string }>('SELECT DISTINCT tgenabled AS state FROM pg_trigger WHERE NOT tgisinternal')).rows;

async function makeStandIns(): Promise<void> {
  await db.query('CREATE TABLE pg_dist_schema (schemaid oid); CREATE TABLE taken (schema text, states text)');
  await db.query(`CREATE FUNCTION citus_schema_distribute(schema regnamespace) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO taken SELECT schema, string_agg(DISTINCT t.tgenabled::text, '') FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE c.relnamespace = schema AND NOT t.tgisinternal;
    IF (SELECT count(*) FROM taken) = 2 AND NOT EXISTS (SELECT FROM north_dispatch.plain) THEN RAISE EXCEPTION 'a node is away'; END IF;
    INSERT INTO pg_dist_schema VALUES (schema::oid);
  END $$`);
}

test('a server without Citus, and one without the setting, is named before anything is done', async () => {
  const none = await distribute();
  assert.deepEqual([none.code, none.stderr.trim()], [1, 'The tenant’s database is not on Citus, version 12 or later']);
  await makeStandIns();
  for (const setting of [undefined, 'off']) {
    const { code, stderr } = await distribute(setting);
    assert.equal(code, 1);
    assert.match(stderr, /needs the setting citus\.enable_unsafe_triggers = on, at each node/);
  }
  assert.deepEqual((await db.query('SELECT FROM taken')).rows, []);
});

test('each schema is taken as a whole, without its triggers running; a second call takes what is left', async () => {
  const failed = await distribute('on');
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /a node is away/);
  assert.deepEqual((await db.query('SELECT * FROM taken')).rows, [{ schema: 'north_engine', states: 'D' }]);
  assert.deepEqual(await triggers(), [{ state: 'O' }]);
  await db.query('INSERT INTO north_dispatch.plain VALUES (1)');
  for (let call = 0; call < 2; call += 1) {
    const { code, stdout } = await distribute('on');
    assert.equal(code, 0);
    assert.match(stdout, /^Tenant north is on nodes of Citus: north_engine, north_dispatch of /);
  }
  assert.deepEqual((await db.query('SELECT * FROM taken ORDER BY schema DESC')).rows, [
    { schema: 'north_engine', states: 'D' },
    { schema: 'north_dispatch', states: 'D' },
  ]);
  assert.deepEqual(await triggers(), [{ state: 'O' }]);
});

test('a distributed tenant is not moved by replication: its rows are not at the server that would be copied', async () => {
  const connections = [await openLongConnection({ url }, 'test'), await openLongConnection({ url }, 'test')] as const;
  const [source, target] = connections;
  const move = { schemas: SCHEMAS, label: 'kedja_move_north', sourceUrl: url, source, target, to: { url } };
  await assert.rejects(requireMovable(move), /Citus has taken north_dispatch and north_engine to a node/);
  await Promise.all(connections.map((each) => each.end()));
});
