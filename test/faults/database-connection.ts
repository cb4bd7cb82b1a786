// Faults of every connection between dispatch and its database: a push gets 503, or gets through slowly, and is never
// half done.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '#test/support/http.ts';
import { PUSH_BREAKPOINTS } from './breakpoints.ts';
import { checkDeliveries } from './delivery-invariants.ts';
import { createPatient, createReady, type FaultEnvironment, pushOne, type ReadyRequest } from './environment.ts';
import type { ConnectionFault } from './tcp-proxy.ts';

const PATIENCE = { timeout: 120_000 };

/** `isPassable`: with patience the push gets through. */
interface Case {
  readonly name: string;
  readonly fault: ConnectionFault;
  readonly isPassable: boolean;
}

/** A start takes a good hundred bytes of requests and some five hundred of answers, a push many thousands of either. */
const CASES: readonly Case[] = [
  { name: 'late answers', fault: { answer: { kind: 'delay', milliseconds: 15 } }, isPassable: true },
  { name: 'late requests', fault: { request: { kind: 'delay', milliseconds: 15 } }, isPassable: true },
  {
    name: 'answers in pieces of 100 bytes',
    fault: { answer: { kind: 'trickle', bytes: 100, milliseconds: 1 } },
    isPassable: true,
  },
  {
    name: 'requests in pieces of 500 bytes',
    fault: { request: { kind: 'trickle', bytes: 500, milliseconds: 1 } },
    isPassable: true,
  },
  { name: 'cut while a connection starts', fault: { answer: { kind: 'cut', after: 200 } }, isPassable: false },
  { name: 'cut in the midst of an answer', fault: { answer: { kind: 'cut', after: 1200 } }, isPassable: false },
  { name: 'cut in the midst of a request', fault: { request: { kind: 'cut', after: 1500 } }, isPassable: false },
  { name: 'reset at the first byte', fault: { request: { kind: 'reset', after: 0 } }, isPassable: false },
  { name: 'reset in the midst of an answer', fault: { answer: { kind: 'reset', after: 1200 } }, isPassable: false },
  {
    name: 'half-open: connections are accepted and never answered',
    fault: { request: { kind: 'silence', after: 0 }, answer: { kind: 'silence', after: 0 } },
    isPassable: false,
  },
];

export function testDatabaseConnection(environment: FaultEnvironment, forbidden: readonly string[]): void {
  for (const entry of CASES) {
    test(`a fault of the database connection: ${entry.name}`, PATIENCE, async () => {
      await pushThroughFault(environment, entry);
      await checkDeliveries(environment, forbidden);
    });
  }
  for (const when of ['before', 'after'] as const) {
    test(
      `a push with an Idempotency-Key whose connection is cut ${when} its COMMIT has come through is made once`,
      PATIENCE,
      async () => {
        await repeatByKey(environment, when);
        await checkDeliveries(environment, forbidden);
      },
    );
  }
}

async function pushThroughFault(environment: FaultEnvironment, { fault, isPassable }: Case): Promise<void> {
  const { databaseProxy, providers } = environment;
  const ready = await createReady(environment, (await createPatient(environment)).patientGuid);
  const [provider = ''] = providers;
  databaseProxy.breakAll(fault);
  databaseProxy.cut();
  // A first call may still meet a connection that was cut.
  const answers = [await tryPush(environment, ready, { provider }), await tryPush(environment, ready, { provider })];
  databaseProxy.breakAll(undefined);
  databaseProxy.cut();
  const expected = isPassable ? [202, 409, 503] : [503];
  for (const answer of answers) {
    assert.ok(expected.includes(answer.status), `${answer.status}: ${answer.text}`);
    if (answer.status === 503) assert.ok(Number(answer.retryAfter) > 0, 'a 503 says when to retry');
  }
  if (isPassable) assert.notEqual(answers[1]?.status, 503, String(answers[1]?.text));
  await pushOne(environment, ready, provider);
}

async function repeatByKey(environment: FaultEnvironment, when: 'before' | 'after'): Promise<void> {
  const { databaseProxy, database, providers } = environment;
  const ready = await createReady(environment, (await createPatient(environment)).patientGuid);
  const [provider = ''] = providers;
  const point = PUSH_BREAKPOINTS[when === 'before' ? BEFORE_COMMIT : AFTER_COMMIT];
  assert.ok(point);
  const key = `push-${ready.id}`;
  const held = databaseProxy.holdAt(point);
  const pushing = tryPush(environment, ready, { provider, key });
  await held;
  databaseProxy.cut();
  databaseProxy.release();
  const lost = await pushing;
  assert.equal(lost.status, 503, lost.text);
  const isDone = async () =>
    (await database.query('SELECT FROM receipt WHERE service_request_id = $1', [ready.id])).rowCount === 1;
  assert.equal(await isDone(), when === 'after', 'the push is whole, or it is not');
  const again = await eventually('the repeat was answered', async () => {
    const answer = await tryPush(environment, ready, { provider, key });
    return answer.status === 503 ? undefined : answer;
  });
  // What was done is not done again, and of an answer that was lost nobody makes another.
  assert.equal(again.status, when === 'after' ? 409 : 202, again.text);
  assert.ok(await isDone());
}

const BEFORE_COMMIT = 'during a push, before its commit';
const AFTER_COMMIT = 'during a push, its commit done and the answer lost';

/** Pushes to one provider once, and answers what came of it. */
async function tryPush(
  { addresses, accounts }: FaultEnvironment,
  { id, matches }: ReadyRequest,
  { provider, key }: { readonly provider: string; readonly key?: string },
): Promise<{ status: number; retryAfter: string | null; text: string }> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${accounts.planner}`,
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const url = `${addresses.dispatch}/ServiceRequest/${id}/push/${matches.get(provider)}`;
  const response = await fetch(url, { method: 'POST', headers, body: '{}' });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
}
