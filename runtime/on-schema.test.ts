// What a node does for its schema beside the service: statistics of the planner (docs/adr/0164).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditMigrations } from '#lib/audit/migrations.ts';
import type { Database } from '#lib/db/database.ts';
import type { ServiceModule } from '#lib/http/service-module.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { onSchema } from './on-schema.ts';
import type { ProcessContext } from './process-context.ts';

const { url } = await createTestDatabase({ after });

test('a node has tables analysed that have grown, as long as it runs', async (t) => {
  const lines: string[] = [];
  const context = { database: { url }, config: { shared: { sortLanguage: 'sv' } } } as ProcessContext;
  let database: Database | undefined;
  const node = await onSchema(
    context,
    { schema: 'shop', sources: [auditMigrations], log: makeTestLogger(lines) },
    async (made) => {
      database = made;
      return { readiness: [], start: async () => {}, stop: async () => {} } as unknown as ServiceModule;
    },
  );
  t.after(() => node.stop());
  await database?.query('CREATE TABLE item (id int) WITH (autovacuum_enabled = false)');
  await database?.query('INSERT INTO item SELECT generate_series(1, 1000)');
  await node.start();
  const renewed = () => lines.find((line) => line.includes('database_statistics_renewed'));
  while (renewed() === undefined) await sleep(50);
  const { schema, tables } = JSON.parse(renewed() ?? '');
  assert.deepEqual({ schema, tables }, { schema: 'shop', tables: ['item'] });
});
