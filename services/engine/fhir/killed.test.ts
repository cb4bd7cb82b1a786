// A node is killed while sixty-four clients create and update (docs/adr/0013). Writes with a response are stored,
// whole, and once in the audit record. Writes without a response are stored whole or not at all.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { startEngineOn } from '#test/support/engine/engine.ts';
import { RECORDED_EVENTS } from '#test/support/engine/recorded-events.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { migrations } from '../migrations.ts';

const PROGRAM = path.join(import.meta.dirname, '../../../test/support/engine/engine-process.ts');
const CLIENTS = 64;
const hooks = lastFirst({ after });
const site = await createTestDatabase(hooks, { schemas: [{ schema: 'engine', migrations }] });
const database = site.database('engine');

/** A node in a process of its own. */
async function startNode(): Promise<{ readonly child: ChildProcess; readonly base: string }> {
  const child = spawn(process.execPath, [PROGRAM, site.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  hooks.after(async () => {
    if (child.signalCode === null && child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  });
  const [origin] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, base: `${origin}/api/v1` };
}

interface Reported {
  readonly id: string;
  readonly word: string;
  readonly version: number;
}

/**
 * What the clients were answered until the node was killed, after so many answers. Each creates, and updates what it
 * has created.
 */
async function killAfter(answers: number, round: number): Promise<Map<string, Reported>> {
  const { child, base } = await startNode();
  const reported = new Map<string, Reported>();
  let count = 0;
  const headers = { authorization: 'Bearer planner', 'content-type': 'application/fhir+json' };
  async function write(method: 'POST' | 'PUT', address: string, body: object): Promise<boolean> {
    const response = await fetch(`${base}/${address}`, { method, headers, body: JSON.stringify(body) }).catch(
      () => undefined,
    );
    const text = await response?.text().catch(() => undefined);
    if (response === undefined || text === undefined) return false;
    assert.ok([200, 201].includes(response.status), `${response.status} ${text}`);
    const { id, meta, name } = JSON.parse(text);
    reported.set(id, { id, word: name[0].family, version: Number(meta.versionId) });
    count += 1;
    if (count === answers) child.kill('SIGKILL');
    return true;
  }
  async function client(number: number): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      const word = `r${round}c${number}t${turn}`;
      const person = { resourceType: 'Patient', name: [{ family: word }] };
      if (!(await write('POST', 'Patient', person))) return;
      const own = [...reported.values()].find((each) => each.word === word);
      const changed = { ...person, id: own?.id, active: true };
      if (turn % 3 === 2 && !(await write('PUT', `Patient/${own?.id}`, changed))) return;
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  // The database ends by itself what it had been sent in full.
  await eventually('the killed node’s connections have ended', async () => {
    const { rows } = await database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    return rows[0]?.n === 0 ? true : undefined;
  });
  return reported;
}

interface Stored {
  readonly id: string;
  readonly version: number;
  readonly family: string;
  readonly words: number;
  readonly versions: number;
  readonly creations: number;
  readonly updates: number;
}

/** All Patients with what is of them in the index, the history and the audit record. */
async function readStored(): Promise<ReadonlyMap<string, Stored>> {
  const { rows } = await database.query<Stored>(
    `WITH recorded AS MATERIALIZED (SELECT * FROM ${RECORDED_EVENTS})
      SELECT r.rid::text AS id, r.version, r.content::jsonb #>> '{name,0,family}' AS family,
        (SELECT count(DISTINCT s.value)::int FROM fhir_string s WHERE s.type = r.type AND s.rid = r.rid) AS words,
        (SELECT count(*)::int FROM fhir_history h WHERE h.type = r.type AND h.rid = r.rid) AS versions,
        (SELECT count(*)::int FROM recorded e WHERE e.resource LIKE '%patient.create%' || r.rid || '%') AS creations,
        (SELECT count(*)::int FROM recorded e WHERE e.resource LIKE '%patient.update%' || r.rid || '%') AS updates
      FROM fhir_resource r WHERE r.content LIKE '%"Patient"%'`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

test('of what sixty-four clients write when the node is killed, everything is whole, and nothing that was answered is lost', async () => {
  const reported = new Map<string, Reported>();
  for (const [round, answers] of [40, 150, 333].entries())
    for (const [id, each] of await killAfter(answers, round)) reported.set(id, each);
  const { engine, call } = await startEngineOn(hooks, database);
  await engine.start();
  await eventually('the accesses are unpacked', async () => {
    const { rows } = await database.query<{ n: number }>('SELECT count(*)::int AS n FROM audit_look');
    return rows[0]?.n === 0 ? true : undefined;
  });
  const stored = await readStored();
  assert.ok(reported.size >= 200);
  for (const { id, word, version } of reported.values()) {
    const found = stored.get(id);
    assert.equal(found?.family, word);
    assert.ok(found.version >= version, 'its update was answered');
    assert.equal((await call('planner', 'GET', `/Patient?family=${word}`)).body.total, 1);
  }
  for (const each of stored.values()) {
    assert.deepEqual(
      [each.words > 0, each.versions, each.creations, each.updates],
      [true, each.version - 1, 1, each.version - 1],
      JSON.stringify(each),
    );
  }
  const { rows: orphans } = await database.query(
    'SELECT rid FROM fhir_string s WHERE NOT EXISTS (SELECT FROM fhir_resource r WHERE r.type = s.type AND r.rid = s.rid)',
  );
  assert.deepEqual(orphans, []);
  const { rows: events } = await database.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${RECORDED_EVENTS} WHERE resource LIKE '%patient.create%'`,
  );
  assert.equal(events[0]?.n, stored.size, 'no creation is on record that was not');
});
