// Fault injection into dispatch (decisions D6-D9). Its process is killed at every named breakpoint. Its connections to
// the database and to receivers break in every way, the database crashes, and the process is suspended for two leases.
// The invariants compare what receivers recorded with dispatch's own state.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { call } from '../end-to-end/call.ts';
import { FINALIZE_BREAKPOINTS, type NamedBreakpoint, PUSH_BREAKPOINTS } from './breakpoints.ts';
import { checkWithdrawals, createWithdrawals } from './consent-withdrawals.ts';
import { testDatabaseConnection } from './database-connection.ts';
import { checkDeliveries } from './delivery-invariants.ts';
import { createDraft, createPatient, createReady, LEASE_MS, pushOne, startFaultEnvironment } from './environment.ts';
import { pushUnderFaults } from './pushes-under-faults.ts';
import { checkStates } from './state-invariants.ts';
import { type ConnectionFault, startTcpProxy } from './tcp-proxy.ts';

const PUSHES = Number(process.env['KEDJA_FAULT_PUSHES'] ?? 90);
/** Of so many pushes one patient withdraws the consent on the way. */
const PUSHES_PER_WITHDRAWAL = 45;
const PATIENCE = { timeout: 120_000 };

const hooks = lastFirst({ after });
const environment = await startFaultEnvironment(hooks);
const { database, recorder, providers, system } = environment;
const { patientGuid: permitting } = await createPatient(environment);
const forbidden: string[] = [];

/**
 * Runs the operation, injects the fault while it is held at the breakpoint, and waits until the operation has got
 * through all the same.
 */
async function injectAt(point: NamedBreakpoint, operation: () => Promise<unknown>, inject: () => Promise<void>) {
  const held = environment[point.proxy].holdAt(point);
  const done = operation();
  await held;
  await inject();
  await done;
}

async function cutProxy({ proxy }: NamedBreakpoint): Promise<void> {
  environment[proxy].cut();
  environment[proxy].release();
}

for (const [name, point] of Object.entries(PUSH_BREAKPOINTS)) {
  test(`a process killed, and a connection cut, ${name}`, PATIENCE, async () => {
    const ready = await createReady(environment, permitting);
    await injectAt(point, () => pushOne(environment, ready, providers[0] ?? ''), environment.killDispatch);
    await injectAt(
      point,
      () => pushOne(environment, ready, providers[1] ?? ''),
      () => cutProxy(point),
    );
  });
}

/** Where the database goes down at once, and is started again. */
const DATABASE_CRASH_POINTS = [
  'during a push, before its commit',
  'during a push, its commit done and the answer lost',
  'during a claim',
  'after sending, before the answer',
  'after sending, before the record',
] as const;

for (const name of DATABASE_CRASH_POINTS) {
  test(`the database shut down at once, and started again, ${name}`, PATIENCE, async () => {
    const point = PUSH_BREAKPOINTS[name];
    assert.ok(point);
    const ready = await createReady(environment, permitting);
    await injectAt(
      point,
      () => pushOne(environment, ready, providers[0] ?? ''),
      async () => {
        await environment.crashDatabase();
        await cutProxy(point);
      },
    );
    await checkDeliveries(environment, forbidden);
  });
}

for (const [name, point] of Object.entries(FINALIZE_BREAKPOINTS)) {
  test(`a process killed, and a connection cut, ${name}: wholly final or wholly a draft`, PATIENCE, async () => {
    for (const inject of [environment.killDispatch, () => cutProxy(point)]) {
      const id = await createDraft(environment, permitting);
      const address = `/ServiceRequest/${id}`;
      const finalize = () => environment.callUntilAvailable('POST', `${address}/finalize`, [200, 409]);
      await injectAt(point, finalize, async () => {
        await inject();
        const { body } = await environment.callUntilAvailable('GET', address, [200]);
        const forms = (body.contained ?? []).filter(
          ({ resourceType }: { resourceType: string }) => resourceType === 'Questionnaire',
        );
        assert.ok(['draft 0', 'active 1'].includes(`${body.status} ${forms.length}`), `${body.status} ${forms.length}`);
        if (point.when === 'after') assert.equal(body.status, 'active', 'what was committed stays');
      });
      assert.equal((await environment.callUntilAvailable('GET', address, [200])).body.status, 'active');
    }
  });
}

test('after all of this nothing is lost, and the log agrees with what receivers recorded', PATIENCE, async (t) => {
  t.diagnostic(JSON.stringify(await checkDeliveries(environment, forbidden)));
  await checkStates(environment, forbidden);
});

testDatabaseConnection(environment, forbidden);

/** Its name, the outcome of the first attempt, and the fault; each on the first connection to a receiver of its own. */
const RECEIVER_FAULTS: readonly (readonly [name: string, outcome: string, fault: ConnectionFault])[] = [
  [
    'a delay of the webhook and of its answer',
    'delivered',
    { request: { kind: 'delay', milliseconds: 100 }, answer: { kind: 'delay', milliseconds: 100 } },
  ],
  ['a webhook that trickles', 'delivered', { request: { kind: 'trickle', bytes: 2048, milliseconds: 5 } }],
  [
    'an answer that trickles for longer than an answer may take',
    'timeout',
    { answer: { kind: 'trickle', bytes: 1, milliseconds: 200 } },
  ],
  ['a cut before the first byte', 'connection_lost', { request: { kind: 'cut', after: 0 } }],
  ['a cut in the head of the webhook', 'connection_lost', { request: { kind: 'cut', after: 60 } }],
  ['a cut in the body of the webhook', 'connection_lost', { request: { kind: 'cut', after: 3000 } }],
  ['a cut in the answer', 'connection_lost', { answer: { kind: 'cut', after: 12 } }],
  ['a reset in the body of the webhook', 'connection_lost', { request: { kind: 'reset', after: 3000 } }],
  ['a reset in place of the answer', 'connection_lost', { answer: { kind: 'reset', after: 0 } }],
  ['a connection half open in the body of the webhook', 'timeout', { request: { kind: 'silence', after: 3000 } }],
  ['a connection half open in place of the answer', 'timeout', { answer: { kind: 'silence', after: 0 } }],
  [
    'a connection that is silent both ways',
    'timeout',
    { request: { kind: 'silence', after: 0 }, answer: { kind: 'silence', after: 0 } },
  ],
];

async function outcomesOf(requestId: string, provider: string | undefined): Promise<string[]> {
  const { rows } = await database.query<{ outcome: string }>(
    `SELECT a.outcome FROM every_attempt a JOIN delivery d USING (delivery_guid) JOIN receipt r USING (request_guid)
     WHERE r.service_request_id = $1 AND d.provider_guid = $2 AND a.attempt IS NOT NULL ORDER BY a.attempt`,
    [requestId, provider],
  );
  return rows.map(({ outcome }) => outcome);
}

test('a connection to a receiver that breaks in any way costs an attempt, never a webhook', PATIENCE, async (t) => {
  assert.ok(RECEIVER_FAULTS.length <= providers.length, 'each has a provider of its own');
  const ready = await createReady(environment, permitting);
  const host = system.addresses.receiver.address;
  for (const [index, [, , fault]] of RECEIVER_FAULTS.entries()) {
    const proxy = await startTcpProxy(hooks, { host: '127.0.0.1', port: recorder.port }, host);
    proxy.breakNext(fault);
    await environment.moveEndpoint(providers[index] ?? '', proxy);
  }
  // All at once, as each takes its time.
  for (const [index] of RECEIVER_FAULTS.entries()) await pushOne(environment, ready, providers[index] ?? '');
  await checkDeliveries(environment, forbidden);
  for (const [index, [name, outcome]] of RECEIVER_FAULTS.entries()) {
    await t.test(`${name}: ${outcome} at first, and delivered`, async () => {
      const outcomes = await outcomesOf(ready.id, providers[index]);
      assert.deepEqual([outcomes[0], outcomes.at(-1)], [outcome, 'delivered']);
      assert.equal(outcomes.length > 1, outcome !== 'delivered', 'an attempt is lost only where the connection broke');
    });
  }
  for (const provider of providers) await environment.moveEndpoint(provider, environment.receiverProxy);
});

/** Stops dispatch, runs `meanwhile` and waits until two leases have gone by since the claim; then it goes on. */
async function suspendForTwoLeases(requestId: string, meanwhile: () => Promise<unknown>): Promise<void> {
  const { child } = system.processOf('dispatch');
  child.kill('SIGSTOP');
  environment.databaseProxy.release();
  await meanwhile();
  await eventually('two leases had gone by', async () => {
    const { rowCount } = await database.query(
      `SELECT FROM every_attempt a JOIN delivery d USING (delivery_guid) JOIN receipt r USING (request_guid)
       WHERE r.service_request_id = $1 AND a.attempt = 1 AND a.started_at + $2 * interval '1 millisecond' < now()`,
      [requestId, 2 * LEASE_MS],
    );
    return rowCount > 0 ? true : undefined;
  });
  child.kill('SIGCONT');
  // Others have written that its lease ran out; it writes over that what it did itself.
  await eventually('the process had ended the attempt that it stood still in', async () => {
    const { rowCount } = await database.query(
      `SELECT FROM every_attempt a JOIN delivery d USING (delivery_guid) JOIN receipt r USING (request_guid)
       WHERE r.service_request_id = $1 AND a.attempt = 1 AND a.outcome <> 'lease_expired'`,
      [requestId],
    );
    return rowCount > 0 ? true : undefined;
  });
}

test('a process that stood still for two leases sends nothing that consent forbids by then', PATIENCE, async () => {
  const other = await system.startAnother('dispatch', { KEDJA_DATABASE_URL: environment.databaseUrl });
  const { patientGuid, consentId } = await createPatient(environment);
  const ready = await createReady(environment, patientGuid);
  // So that it is the first one who claims.
  other.kedja.child.kill('SIGSTOP');
  const held = environment.databaseProxy.holdAt(PUSH_BREAKPOINTS['after a claim'] as NamedBreakpoint);
  await pushOne(environment, ready, providers[0] ?? '');
  await held;
  await suspendForTwoLeases(ready.id, async () => {
    other.kedja.child.kill('SIGCONT');
    const subject = { reference: `Patient/${patientGuid}` };
    const json = { resourceType: 'Consent', id: consentId, status: 'active', subject, decision: 'deny' };
    const url = `${other.origin}/api/v1/Consent/${consentId}`;
    await call(url, { method: 'PUT', token: environment.accounts.planner, json });
    forbidden.push(patientGuid);
  });
  await checkDeliveries(environment, forbidden);
  await other.kedja.end('SIGTERM');
});

test(
  'a webhook that was on its way when its process stood still for two leases is taken over once, under its id',
  PATIENCE,
  async () => {
    const ready = await createReady(environment, permitting);
    const [provider = ''] = providers;
    const arrived = Promise.withResolvers<void>();
    // The first arrival is taken and never answered.
    recorder.answer((_entry, response, before) => {
      if (before === 0) arrived.resolve();
      else response.writeHead(204).end();
    });
    await pushOne(environment, ready, provider);
    await arrived.promise;
    const other = system.startAnother('dispatch', { KEDJA_DATABASE_URL: environment.databaseUrl });
    await suspendForTwoLeases(ready.id, () => other);
    recorder.answer(undefined);
    await checkDeliveries(environment, forbidden);
    await checkStates(environment, forbidden);
    const { rows } = await database.query<{ id: string; attempt: number }>(
      `SELECT d.delivery_guid AS id, d.attempt FROM delivery d JOIN receipt r USING (request_guid) WHERE r.service_request_id = $1`,
      [ready.id],
    );
    const arrivals = recorder.entries.filter(({ id }) => id === rows[0]?.id);
    assert.deepEqual([rows.length, rows[0]?.attempt, arrivals.length], [1, 2, 2]);
    await (await other).kedja.end('SIGTERM');
  },
);

test(`${PUSHES} pushes under faults: each is seen, repeats share their id, nothing without consent`, {
  timeout: 120_000 + PUSHES * 500,
}, async (t) => {
  const { patientGuid } = await createPatient(environment, 'none');
  forbidden.push(patientGuid);
  const withdrawals = await createWithdrawals(environment, Math.ceil(PUSHES / PUSHES_PER_WITHDRAWAL));
  const injected = await pushUnderFaults(environment, {
    pushes: PUSHES,
    permitting,
    forbidden: patientGuid,
    withdrawals,
  });
  const counts = await checkDeliveries(environment, forbidden);
  const withdrawn = await checkWithdrawals(environment, withdrawals);
  await checkStates(environment, [...forbidden, ...withdrawals.map((withdrawal) => withdrawal.patientGuid)]);
  t.diagnostic(JSON.stringify({ ...counts, withdrawn, ...injected }));
});
