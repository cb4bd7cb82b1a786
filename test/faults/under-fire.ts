// Many pushes while dispatch, its database and its lines are struck all along: a blow for every so many pushes, so that
// a longer run has more of them.

import { eventually } from '#test/support/http.ts';
import type { Arena, Ready } from './arena.ts';
import { makeReady, pushOne } from './arena.ts';
import { untilCalm } from './judge.ts';
import type { Answering } from './ledger.ts';
import { PUSH_POINTS } from './points.ts';
import { stepOf, type Waverer } from './waverers.ts';

/** Providers that each request is pushed to, and requests that are pushed at once. */
const EACH = 10;
const AT_ONCE = 4;
const PUSHES_PER_BLOW = 30;
/** After the last push. */
const LAST_BLOWS = 3;
/** Of the webhooks, every so manieth is refused, or left without an answer, when it first arrives. */
const [REFUSED, UNANSWERED] = [7, 11];

export interface Campaign {
  readonly pushes: number;
  readonly permitting: string;
  /** A patient who has given no consent. */
  readonly forbidden: string;
  /** Patients who withdraw their consent on the way. */
  readonly waverers: readonly Waverer[];
}

export async function runUnderFire(arena: Arena, campaign: Campaign): Promise<{ blows: number }> {
  const targets: (() => Promise<unknown>)[] = [];
  for (let n = 0; n < Math.ceil(campaign.pushes / EACH); n += 1) {
    const ready = await makeReady(arena, campaign.permitting);
    for (const provider of arena.providers.slice(0, EACH)) targets.push(() => pushOne(arena, ready, provider));
  }
  const refused = await makeReady(arena, campaign.forbidden);
  targets.splice(Math.floor(targets.length / 2), 0, () => pushForbidden(arena, refused));
  targets.splice(Math.floor(targets.length / 4), 0, ...campaign.waverers.map((waverer) => stepOf(arena, waverer)));
  arena.ledger.answer(makeMoody(new Set(campaign.waverers.map(({ patientGuid }) => patientGuid))));
  let done = 0;
  const queue = targets.values();
  const pushing = Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const push of queue) {
        await push();
        done += 1;
      }
    }),
  );
  let isOver = false;
  const over = pushing.finally(() => {
    isOver = true;
  });
  let blows = 0;
  for (const wanted = () => (blows + 1) * PUSHES_PER_BLOW; !isOver; ) {
    await strike(arena, blows, over);
    blows += 1;
    await eventually(
      'pushes went on',
      async () => (done >= wanted() - PUSHES_PER_BLOW || isOver ? true : undefined),
      60_000,
    );
  }
  await pushing;
  // Also while nothing but deliveries is left.
  const calm = untilCalm(arena);
  for (const last = blows + LAST_BLOWS; blows < last; blows += 1) await strike(arena, blows, calm);
  await calm;
  arena.ledger.answer(undefined);
  return { blows };
}

async function pushForbidden({ insist }: Arena, { id }: Ready): Promise<void> {
  await insist('POST', `/ServiceRequest/${id}/push`, [403]);
}

/**
 * Receivers as they are: now and then one refuses, or drops the connection, and takes the next attempt. What concerns
 * the patients who will withdraw is refused each time, so that it still waits when they do.
 */
function makeMoody(waverers: ReadonlySet<string>): Answering {
  let arrived = 0;
  return ({ patients }, response, before) => {
    arrived += 1;
    if (patients.some((patient) => waverers.has(patient))) response.writeHead(503).end();
    else if (before === 0 && arrived % REFUSED === 0) response.writeHead(503).end();
    else if (before === 0 && arrived % UNANSWERED === 0) response.destroy();
    else response.writeHead(204).end();
  };
}

/** Every point in turn, and between them the database or its line. */
async function strike(arena: Arena, number: number, over: Promise<unknown>): Promise<void> {
  const points = Object.values(PUSH_POINTS);
  const point = points[Math.floor(number / 2) % points.length];
  if (number % 4 === 1) return arena.strikeDatabase();
  if (number % 4 === 3) return arena.databaseLine.cut();
  if (point !== undefined) await Promise.race([arena[point.line].holdAt(point), over]);
  await arena.killDispatch();
}
