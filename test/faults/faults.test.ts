// Dispatch under blows (decisions D6-D9): its process killed at every named point, its lines to the database and to
// receivers broken in every way, the database shut down at once, the process stopped for two leases. The judge is what
// the receivers saw.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { call } from '../story/call.ts';
import { LEASE_MS, makeDraft, makePatient, makeReady, openArena, pushOne } from './arena.ts';
import { testDatabaseLine } from './database-line.ts';
import { judge } from './judge.ts';
import { type Issue, startLine } from './line.ts';
import { FINALIZE_POINTS, type NamedPoint, PUSH_POINTS } from './points.ts';
import { judgeStates } from './states.ts';
import { runUnderFire } from './under-fire.ts';
import { judgeWaverers, makeWaverers } from './waverers.ts';

const PUSHES = Number(process.env['KEDJA_FAULT_PUSHES'] ?? 150);
/** Of so many pushes one patient withdraws the consent on the way. */
const PUSHES_PER_WAVERER = 75;
const PATIENCE = { timeout: 120_000 };

const hooks = lastFirst({ after });
const arena = await openArena(hooks);
const { database, ledger, providers, theatre } = arena;
const { patientGuid: permitting } = await makePatient(arena);
const forbidden: string[] = [];

/**
 * Runs the operation, strikes when it is held at the point, and waits until the operation has got through all the same.
 */
async function strikeAt(point: NamedPoint, operation: () => Promise<unknown>, blow: () => Promise<void>) {
  const held = arena[point.line].holdAt(point);
  const done = operation();
  await held;
  await blow();
  await done;
}

async function cutLine({ line }: NamedPoint): Promise<void> {
  arena[line].cut();
  arena[line].release();
}

for (const [name, point] of Object.entries(PUSH_POINTS)) {
  test(`a process killed, and a line cut, ${name}`, PATIENCE, async () => {
    const ready = await makeReady(arena, permitting);
    await strikeAt(point, () => pushOne(arena, ready, providers[0] ?? ''), arena.killDispatch);
    await strikeAt(
      point,
      () => pushOne(arena, ready, providers[1] ?? ''),
      () => cutLine(point),
    );
  });
}

/** Where the database goes down at once, and is started again. */
const DATABASE_BLOWS = [
  'during a push, before its commit',
  'during a push, its commit done and the answer lost',
  'during a claim',
  'after sending, before the answer',
  'after sending, before the record',
] as const;

for (const name of DATABASE_BLOWS) {
  test(`the database shut down at once, and started again, ${name}`, PATIENCE, async () => {
    const point = PUSH_POINTS[name];
    assert.ok(point);
    const ready = await makeReady(arena, permitting);
    await strikeAt(
      point,
      () => pushOne(arena, ready, providers[0] ?? ''),
      async () => {
        await arena.strikeDatabase();
        await cutLine(point);
      },
    );
    await judge(arena, forbidden);
  });
}

for (const [name, point] of Object.entries(FINALIZE_POINTS)) {
  test(`a process killed, and a line cut, ${name}: wholly final or wholly a draft`, PATIENCE, async () => {
    for (const blow of [arena.killDispatch, () => cutLine(point)]) {
      const id = await makeDraft(arena, permitting);
      const address = `/ServiceRequest/${id}`;
      const finalize = () => arena.insist('POST', `${address}/finalize`, [200, 409]);
      await strikeAt(point, finalize, async () => {
        await blow();
        const { body } = await arena.insist('GET', address, [200]);
        const forms = (body.contained ?? []).filter(
          ({ resourceType }: { resourceType: string }) => resourceType === 'Questionnaire',
        );
        assert.ok(['draft 0', 'active 1'].includes(`${body.status} ${forms.length}`), `${body.status} ${forms.length}`);
        if (point.when === 'after') assert.equal(body.status, 'active', 'what was committed stays');
      });
      assert.equal((await arena.insist('GET', address, [200])).body.status, 'active');
    }
  });
}

test('after all of this nothing is lost, and the log agrees with what was seen', PATIENCE, async (t) => {
  t.diagnostic(JSON.stringify(await judge(arena, forbidden)));
  await judgeStates(arena, forbidden);
});

testDatabaseLine(arena, forbidden);

interface Breakage {
  readonly name: string;
  /** What the first attempt comes to. */
  readonly outcome: string;
  readonly fault: Issue;
}

/** Each on the first connection to a receiver of its own. */
const BREAKAGES: readonly Breakage[] = [
  {
    name: 'a delay of the webhook and of its answer',
    outcome: 'delivered',
    fault: { request: { kind: 'delay', milliseconds: 100 }, answer: { kind: 'delay', milliseconds: 100 } },
  },
  {
    name: 'a webhook that trickles',
    outcome: 'delivered',
    fault: { request: { kind: 'trickle', bytes: 2048, milliseconds: 5 } },
  },
  {
    name: 'an answer that trickles for longer than an answer may take',
    outcome: 'timeout',
    fault: { answer: { kind: 'trickle', bytes: 1, milliseconds: 200 } },
  },
  {
    name: 'a cut before the first byte',
    outcome: 'connection_lost',
    fault: { request: { kind: 'cut', after: 0 } },
  },
  {
    name: 'a cut in the head of the webhook',
    outcome: 'connection_lost',
    fault: { request: { kind: 'cut', after: 60 } },
  },
  {
    name: 'a cut in the body of the webhook',
    outcome: 'connection_lost',
    fault: { request: { kind: 'cut', after: 3000 } },
  },
  {
    name: 'a cut in the answer',
    outcome: 'connection_lost',
    fault: { answer: { kind: 'cut', after: 12 } },
  },
  {
    name: 'a reset in the body of the webhook',
    outcome: 'connection_lost',
    fault: { request: { kind: 'reset', after: 3000 } },
  },
  {
    name: 'a reset in place of the answer',
    outcome: 'connection_lost',
    fault: { answer: { kind: 'reset', after: 0 } },
  },
  {
    name: 'a line half open in the body of the webhook',
    outcome: 'timeout',
    fault: { request: { kind: 'silence', after: 3000 } },
  },
  {
    name: 'a line half open in place of the answer',
    outcome: 'timeout',
    fault: { answer: { kind: 'silence', after: 0 } },
  },
  {
    name: 'a line that is silent both ways',
    outcome: 'timeout',
    fault: { request: { kind: 'silence', after: 0 }, answer: { kind: 'silence', after: 0 } },
  },
];

async function outcomesOf(requestId: string, provider: string | undefined): Promise<string[]> {
  const { rows } = await database.query<{ outcome: string }>(
    `SELECT a.outcome FROM delivery_attempt a JOIN delivery d USING (delivery_guid) JOIN receipt r USING (request_guid)
     WHERE r.service_request_id = $1 AND d.provider_guid = $2 ORDER BY a.attempt`,
    [requestId, provider],
  );
  return rows.map(({ outcome }) => outcome);
}

test('a line to a receiver that breaks in any way costs an attempt, never a webhook', PATIENCE, async (t) => {
  assert.ok(BREAKAGES.length <= providers.length, 'each has a provider of its own');
  const ready = await makeReady(arena, permitting);
  const host = theatre.world.receiver.address;
  for (const [index, { fault }] of BREAKAGES.entries()) {
    const line = await startLine(hooks, { host: '127.0.0.1', port: ledger.port }, host);
    line.breakNext(fault);
    await arena.moveEndpoint(providers[index] ?? '', line);
  }
  // All at once, as each takes its time.
  for (const [index] of BREAKAGES.entries()) await pushOne(arena, ready, providers[index] ?? '');
  await judge(arena, forbidden);
  for (const [index, { name, outcome }] of BREAKAGES.entries()) {
    await t.test(`${name}: ${outcome} at first, and delivered`, async () => {
      const outcomes = await outcomesOf(ready.id, providers[index]);
      assert.deepEqual([outcomes[0], outcomes.at(-1)], [outcome, 'delivered']);
      assert.equal(outcomes.length > 1, outcome !== 'delivered', 'an attempt is lost only where the line broke');
    });
  }
  for (const provider of providers) await arena.moveEndpoint(provider, arena.receiverLine);
});

/** Stops dispatch, runs `meanwhile` and waits until two leases have gone by since the claim; then it goes on. */
async function standStill(requestId: string, meanwhile: () => Promise<unknown>): Promise<void> {
  const { child } = theatre.processOf('dispatch');
  child.kill('SIGSTOP');
  arena.databaseLine.release();
  await meanwhile();
  await eventually('two leases had gone by', async () => {
    const { rowCount } = await database.query(
      `SELECT FROM delivery_attempt a JOIN delivery d USING (delivery_guid) JOIN receipt r USING (request_guid)
       WHERE r.service_request_id = $1 AND a.attempt = 1 AND a.started_at + $2 * interval '1 millisecond' < now()`,
      [requestId, 2 * LEASE_MS],
    );
    return rowCount > 0 ? true : undefined;
  });
  child.kill('SIGCONT');
  // Others have written that its lease ran out; it writes over that what it did itself.
  await eventually('the process had ended the attempt that it stood still in', async () => {
    const { rowCount } = await database.query(
      `SELECT FROM delivery_attempt a JOIN delivery d USING (delivery_guid) JOIN receipt r USING (request_guid)
       WHERE r.service_request_id = $1 AND a.attempt = 1 AND a.outcome <> 'lease_expired'`,
      [requestId],
    );
    return rowCount > 0 ? true : undefined;
  });
}

test('a process that stood still for two leases sends nothing that consent forbids by then', PATIENCE, async () => {
  const other = await theatre.startAnother('dispatch', { KEDJA_DATABASE_URL: arena.databaseUrl });
  const { patientGuid, consentId } = await makePatient(arena);
  const ready = await makeReady(arena, patientGuid);
  // So that it is the first one who claims.
  other.kedja.child.kill('SIGSTOP');
  const held = arena.databaseLine.holdAt(PUSH_POINTS['after a claim'] as NamedPoint);
  await pushOne(arena, ready, providers[0] ?? '');
  await held;
  await standStill(ready.id, async () => {
    other.kedja.child.kill('SIGCONT');
    const subject = { reference: `Patient/${patientGuid}` };
    const json = { resourceType: 'Consent', id: consentId, status: 'active', subject, decision: 'deny' };
    const url = `${other.origin}/api/v1/Consent/${consentId}`;
    await call(url, { method: 'PUT', token: arena.cast.planner, json });
    forbidden.push(patientGuid);
  });
  await judge(arena, forbidden);
  await other.kedja.end('SIGTERM');
});

test(
  'a webhook that was on its way when its process stood still for two leases is taken over once, under its id',
  PATIENCE,
  async () => {
    const ready = await makeReady(arena, permitting);
    const [provider = ''] = providers;
    const arrived = Promise.withResolvers<void>();
    // The first arrival is taken and never answered.
    ledger.answer((_entry, response, before) => {
      if (before === 0) arrived.resolve();
      else response.writeHead(204).end();
    });
    await pushOne(arena, ready, provider);
    await arrived.promise;
    const other = theatre.startAnother('dispatch', { KEDJA_DATABASE_URL: arena.databaseUrl });
    await standStill(ready.id, () => other);
    ledger.answer(undefined);
    await judge(arena, forbidden);
    await judgeStates(arena, forbidden);
    const { rows } = await database.query<{ id: string; attempt: number }>(
      `SELECT d.delivery_guid AS id, d.attempt FROM delivery d JOIN receipt r USING (request_guid) WHERE r.service_request_id = $1`,
      [ready.id],
    );
    const arrivals = ledger.entries.filter(({ id }) => id === rows[0]?.id);
    assert.deepEqual([rows.length, rows[0]?.attempt, arrivals.length], [1, 2, 2]);
    await (await other).kedja.end('SIGTERM');
  },
);

test(`${PUSHES} pushes under fire: each is seen, repeats share their id, nothing without consent`, {
  timeout: 120_000 + PUSHES * 500,
}, async (t) => {
  const { patientGuid } = await makePatient(arena, 'none');
  forbidden.push(patientGuid);
  const waverers = await makeWaverers(arena, Math.ceil(PUSHES / PUSHES_PER_WAVERER));
  const told = await runUnderFire(arena, { pushes: PUSHES, permitting, forbidden: patientGuid, waverers });
  const verdict = await judge(arena, forbidden);
  const withdrawn = await judgeWaverers(arena, waverers);
  await judgeStates(arena, [...forbidden, ...waverers.map((waverer) => waverer.patientGuid)]);
  t.diagnostic(JSON.stringify({ ...verdict, withdrawn, ...told }));
});
