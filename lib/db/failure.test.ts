// Which errors of the driver mean that the database is unavailable. What nodes of Citus say is raised by PostgreSQL.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { ServiceError } from '../errors.ts';
import { lostNodeOf } from './failure.ts';

const db = (await createTestDatabase({ after })).database('public');

const isAway = (error: unknown) =>
  error instanceof ServiceError && error.status === 503 && (error.retryAfterSeconds ?? 0) > 0;

function raise(message: string, code: string): Promise<unknown> {
  return db.query(`DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '${code}'; END $$`);
}

test('a node of Citus that is gone is an unavailable database, and any other internal error is not', async () => {
  for (const message of [
    'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
    'could not receive data from server: Connection reset by peer',
    'failure on connection marked as essential: 127.0.0.1:5432',
  ])
    await assert.rejects(raise(message, 'XX000'), isAway, message);
  await assert.rejects(raise('connection to the remote node north@db2:5432 failed', '08006'), isAway);
  await assert.rejects(raise('cache lookup failed for relation 4711', 'XX000'), { code: 'XX000' });
  await assert.rejects(raise('connection not open', 'P0001'), { code: 'P0001' });
});

test('the node that cannot be reached is known', async () => {
  const nodeIn = (message: string) => raise(message, '08006').catch(lostNodeOf);
  const words = 'failed with the following error: Connection refused';
  assert.equal(await nodeIn(`connection to the remote node north@db2:5432 ${words}`), 'db2:5432');
  assert.equal(await nodeIn('failure on connection marked as essential: 10.0.0.2:5433'), '10.0.0.2:5433');
  assert.equal(await nodeIn('connection refused'), undefined);
});

test('a transaction that a node of Citus did not commit is refused as unavailable, and its connection is not used again', async () => {
  const backend = async () => (await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
  await db.query('CREATE TABLE item (id integer)');
  await db.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not commit transaction for shard 102008 on at least one active node' USING ERRCODE = 'XX000'; END $$`);
  await db.query(
    'CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON item DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()',
  );
  const before = await backend();
  await assert.rejects(
    db.transaction((transaction) => transaction.query('INSERT INTO item VALUES (1)')),
    isAway,
  );
  assert.notEqual(await backend(), before);
});
