// Many pushes while dispatch, its database and its connections fail again and again. There is one fault for a number of
// pushes, so that a longer run has more of them.
import { eventually } from '#test/support/http.ts';
import { PUSH_BREAKPOINTS } from './breakpoints.ts';
import { type Withdrawal, withdrawalStep } from './consent-withdrawals.ts';
import { untilDelivered } from './delivery-invariants.ts';
import type { FaultEnvironment, ReadyRequest } from './environment.ts';
import { createReady, pushOne } from './environment.ts';
import type { Responder } from './webhook-recorder.ts';

/** Providers that each request is pushed to, and requests that are pushed at once. */
const EACH = 10;
const AT_ONCE = 4;
const PUSHES_PER_FAULT = 30;
/** After the last push. */
const LAST_FAULTS = 3;
/** Of the webhooks, each so many is refused, or gets no response, when it first arrives. */
const [REFUSED, UNANSWERED] = [7, 11];

export interface FaultRun {
  readonly pushes: number;
  readonly permitting: string;
  /** A patient who has given no consent. */
  readonly forbidden: string;
  /** Patients who withdraw their consent on the way. */
  readonly withdrawals: readonly Withdrawal[];
}

export async function pushUnderFaults(environment: FaultEnvironment, run: FaultRun): Promise<{ injected: number }> {
  const targets: (() => Promise<unknown>)[] = [];
  for (let n = 0; n < Math.ceil(run.pushes / EACH); n += 1) {
    const ready = await createReady(environment, run.permitting);
    for (const provider of environment.providers.slice(0, EACH))
      targets.push(() => pushOne(environment, ready, provider));
  }
  const refused = await createReady(environment, run.forbidden);
  targets.splice(Math.floor(targets.length / 2), 0, () => pushForbidden(environment, refused));
  targets.splice(
    Math.floor(targets.length / 4),
    0,
    ...run.withdrawals.map((withdrawal) => withdrawalStep(environment, withdrawal)),
  );
  environment.recorder.answer(failSomeWebhooks(new Set(run.withdrawals.map(({ patientGuid }) => patientGuid))));
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
  let injected = 0;
  for (const threshold = () => (injected + 1) * PUSHES_PER_FAULT; !isOver; ) {
    await crash(environment, injected, over);
    injected += 1;
    await eventually(
      'pushes went on',
      async () => (done >= threshold() - PUSHES_PER_FAULT || isOver ? true : undefined),
      60_000,
    );
  }
  await pushing;
  // Also while nothing but deliveries is left.
  const calm = untilDelivered(environment);
  for (const last = injected + LAST_FAULTS; injected < last; injected += 1) await crash(environment, injected, calm);
  await calm;
  environment.recorder.answer(undefined);
  return { injected };
}

async function pushForbidden({ callUntilAvailable }: FaultEnvironment, { id }: ReadyRequest): Promise<void> {
  await callUntilAvailable('POST', `/ServiceRequest/${id}/push`, [403]);
}

/**
 * Fails some webhooks at their first arrival: refuses them, or drops the connection. Webhooks about patients who will
 * withdraw are refused each time, so that they still wait when these do.
 */
function failSomeWebhooks(withdrawals: ReadonlySet<string>): Responder {
  let arrived = 0;
  return ({ patients }, response, before) => {
    arrived += 1;
    if (patients.some((patient) => withdrawals.has(patient))) response.writeHead(503).end();
    else if (before === 0 && arrived % REFUSED === 0) response.writeHead(503).end();
    else if (before === 0 && arrived % UNANSWERED === 0) response.destroy();
    else response.writeHead(204).end();
  };
}

/** Each breakpoint in turn, and between them a crash of the database or a cut of its connections. */
async function crash(environment: FaultEnvironment, number: number, over: Promise<unknown>): Promise<void> {
  const points = Object.values(PUSH_BREAKPOINTS);
  const point = points[Math.floor(number / 2) % points.length];
  if (number % 4 === 1) return environment.crashDatabase();
  if (number % 4 === 3) return environment.databaseProxy.cut();
  if (point !== undefined) await Promise.race([environment[point.proxy].holdAt(point), over]);
  await environment.killDispatch();
}
