// Faults of every connection between dispatch and its database: a push is told 503, or gets through slowly, and never
// by half.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '#test/support/http.ts';
import { type Arena, makePatient, makeReady, pushOne, type Ready } from './arena.ts';
import { judge } from './judge.ts';
import type { Issue } from './line.ts';
import { PUSH_POINTS } from './points.ts';

const PATIENCE = { timeout: 120_000 };

/** `isPassable`: with patience the push gets through. */
interface Case {
  readonly name: string;
  readonly fault: Issue;
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

export function testDatabaseLine(arena: Arena, forbidden: readonly string[]): void {
  for (const entry of CASES) {
    test(`the database behind a broken line: ${entry.name}`, PATIENCE, async () => {
      await playIssue(arena, entry);
      await judge(arena, forbidden);
    });
  }
  for (const when of ['before', 'after'] as const) {
    test(
      `a push with an Idempotency-Key whose line is cut ${when} its COMMIT has come through is made once`,
      PATIENCE,
      async () => {
        await repeatByKey(arena, when);
        await judge(arena, forbidden);
      },
    );
  }
}

async function playIssue(arena: Arena, { fault, isPassable }: Case): Promise<void> {
  const { databaseLine, providers } = arena;
  const ready = await makeReady(arena, (await makePatient(arena)).patientGuid);
  const [provider = ''] = providers;
  databaseLine.breakAll(fault);
  databaseLine.cut();
  // A first call may still meet a connection that was cut.
  const answers = [await tryPush(arena, ready, { provider }), await tryPush(arena, ready, { provider })];
  databaseLine.breakAll(undefined);
  databaseLine.cut();
  const wanted = isPassable ? [202, 409, 503] : [503];
  for (const answer of answers) {
    assert.ok(wanted.includes(answer.status), `${answer.status}: ${answer.text}`);
    if (answer.status === 503) assert.ok(Number(answer.retryAfter) > 0, 'a client is told when to come again');
  }
  if (isPassable) assert.notEqual(answers[1]?.status, 503, String(answers[1]?.text));
  await pushOne(arena, ready, provider);
}

async function repeatByKey(arena: Arena, when: 'before' | 'after'): Promise<void> {
  const { databaseLine, database, providers } = arena;
  const ready = await makeReady(arena, (await makePatient(arena)).patientGuid);
  const [provider = ''] = providers;
  const point = PUSH_POINTS[when === 'before' ? BEFORE_COMMIT : AFTER_COMMIT];
  assert.ok(point);
  const key = `push-${ready.id}`;
  const held = databaseLine.holdAt(point);
  const pushing = tryPush(arena, ready, { provider, key });
  await held;
  databaseLine.cut();
  databaseLine.release();
  const lost = await pushing;
  assert.equal(lost.status, 503, lost.text);
  const isDone = async () =>
    (await database.query('SELECT FROM receipt WHERE service_request_id = $1', [ready.id])).rowCount === 1;
  assert.equal(await isDone(), when === 'after', 'the push is whole, or it is not');
  const again = await eventually('the repeat was answered', async () => {
    const answer = await tryPush(arena, ready, { provider, key });
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
  { world, cast }: Arena,
  { id, matches }: Ready,
  { provider, key }: { readonly provider: string; readonly key?: string },
): Promise<{ status: number; retryAfter: string | null; text: string }> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${cast.planner}`,
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const url = `${world.dispatch}/ServiceRequest/${id}/push/${matches.get(provider)}`;
  const response = await fetch(url, { method: 'POST', headers, body: '{}' });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
}
