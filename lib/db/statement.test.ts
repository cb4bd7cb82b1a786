// How statements reach the driver.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientBase } from 'pg';
import { runStatement } from './statement.ts';

test('statements of one turn are written to the socket together, those of the next turn apart', async () => {
  const steps: string[] = [];
  const stream = { cork: () => steps.push('cork'), uncork: () => steps.push('uncork') };
  const query = ({ text, callback }: { text: string; callback: (error: null, result: object) => void }) => {
    steps.push(text);
    setImmediate(callback, null, { rows: [], rowCount: 0, command: 'SELECT' });
  };
  const client = { connection: { stream }, query } as unknown as ClientBase;
  await Promise.all([runStatement(client, 'SELECT 1'), runStatement(client, 'SELECT 2')]);
  await runStatement(client, 'SELECT 3');
  assert.deepEqual(steps, ['cork', 'SELECT 1', 'cork', 'SELECT 2', 'uncork', 'uncork', 'cork', 'SELECT 3', 'uncork']);
});
