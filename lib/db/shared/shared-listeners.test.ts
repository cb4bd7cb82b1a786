// LISTEN of several roles of one database over one connection, whichever of them can connect.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { testServer } from '#test/support/database/server.ts';
import { eventually } from '#test/support/http.ts';
import type { Database } from '../database.ts';
import { notify } from '../listener.ts';
import { createDatabase } from '../pool.ts';
import { createSharedListeners } from './shared-listeners.ts';

const { url, database } = await createTestDatabase({ after });
const observer = database('public');
const ROLES = ['north', 'south'].map((name) => `kedja_${name}_${process.pid}`);
const { adminUrl } = await testServer();
const admin = createDatabase({ url: adminUrl, schema: 'public', maxConnections: 1 });
after(async () => {
  for (const role of ROLES) await admin.query(`DROP ROLE IF EXISTS ${role}`);
  await admin.close();
});

/** The pid and role of each connection that listens. */
async function listening(): Promise<{ pid: number; role: string }[]> {
  const text = `SELECT pid, usename AS role FROM pg_stat_activity
    WHERE application_name = 'kedja-tenants-listen' AND datname = current_database()`;
  return (await observer.query<{ pid: number; role: string }>(text)).rows;
}

test('two roles listen over one connection, and the other connects when one cannot', async () => {
  const listeners = createSharedListeners(() => undefined);
  const heard: string[] = [];
  const pools: Database[] = [];
  for (const role of ROLES) {
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'heard'`);
    const address = new URL(url);
    Object.assign(address, { username: role, password: 'heard' });
    const pool = createDatabase({ url: address.href, schema: 'public', listeners });
    pools.push(pool);
    await pool.listen(`of_${role}`, () => void heard.push(role));
  }
  const hears = (role: string) =>
    eventually(`${role} hears`, async () => {
      await notify(observer, `of_${role}`);
      return heard.includes(role) ? true : undefined;
    });
  for (const role of ROLES) await hears(role);
  const [connection, ...others] = await listening();
  assert.ok(connection);
  assert.deepEqual(others, []);

  await admin.query(`ALTER ROLE ${connection.role} NOLOGIN`);
  await admin.query('SELECT pg_terminate_backend($1)', [connection.pid]);
  const next = await eventually('there is another connection', async () =>
    (await listening()).find(({ pid }) => pid !== connection.pid),
  );
  assert.notEqual(next.role, connection.role);
  heard.length = 0;
  for (const role of ROLES) await hears(role);

  const [first, second] = pools as [Database, Database];
  await first.close();
  heard.length = 0;
  await hears(ROLES[1] ?? '');
  assert.ok(!heard.includes(ROLES[0] ?? ''));
  await second.close();
  await eventually('nobody listens', async () => ((await listening()).length === 0 ? true : undefined));
});
