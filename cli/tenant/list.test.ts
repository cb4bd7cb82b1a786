import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { stateOf } from './list.ts';

const { url, database } = await createTestDatabase({ after });
const db = database('public');
const tenant = { name: 'north', schema: 'north', databaseUrl: undefined, directUrl: undefined, hosts: [] };

test('the state of a tenant names the node of Citus that its database cannot reach', async () => {
  assert.equal(await stateOf({ address: { url } }, tenant), 'migrations are to be applied');
  // What is read first of a tenant fails as it does when its node is away.
  await db.query(`CREATE FUNCTION away() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'connection to the remote node north@10.0.0.2:5432 failed with the following error: Connection refused'
      USING ERRCODE = '08006'; END $$`);
  await db.query('CREATE SCHEMA north_engine_moved');
  await db.query(
    'CREATE VIEW north_engine_moved.kedja_new_place AS SELECT away() AS url, NULL AS direct_url, NULL AS pooling',
  );
  assert.equal(await stateOf({ address: { url } }, tenant), 'its database cannot reach the node 10.0.0.2:5432');
});
