// `Idempotency-Key` on routes with `idempotent: true` (decision G10, docs/reference/idempotency.md). A repeated request
// gets the first response, and the effect happens once, however often and on however many nodes the request arrives.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../db/database.ts';
import type { HttpApp } from '../http/http-app.ts';
import { createPeriodicLoop, type WorkerLoop } from '../jobs/worker-loop.ts';
import type { KeySet } from '../secrets/key-set.ts';
import type { SealedColumn } from '../secrets/sealed-values.ts';
import { createRotatingCipher } from '../secrets/sealer.ts';
import type { WorkDependencies } from '../work-dependencies.ts';
import { endAttempt, takeKey } from './attempts.ts';
import { createEffectGuard, type RunningAttempt } from './effect-guard.ts';
import { sweep } from './key-store.ts';
import { identifyRequest } from './request-identity.ts';
import { replayResponse } from './stored-response.ts';

const SWEEP_EVERY_MS = 60_000;

export interface IdempotencyOptions extends WorkDependencies {
  /** The same for every node. The fingerprint of a request does not change with a rotation. */
  readonly masterKeys: KeySet;
}

export interface Idempotency {
  /** The database through which the features of the service write. */
  readonly database: Database;
  /** Call it before the routes are registered. */
  register(app: HttpApp): void;
  /** Forgets keys that are older than a day. */
  sweep(): Promise<void>;
  /** Sweeps every minute, once it is started. */
  readonly loop: WorkerLoop;
}

/** Seals responses and makes the keyed hashes. */
function idempotencyCipher(keys: KeySet) {
  return createRotatingCipher({ keys, purpose: 'idempotency', place: 'idempotency_key.answer' });
}

/** The stored responses, among the sealed values of the service. */
export function idempotencyColumn(keys: KeySet): SealedColumn {
  return {
    table: 'idempotency_key',
    column: 'answer',
    key: 'record',
    keyType: 'bytea',
    context: "encode(record, 'hex')",
    sealer: idempotencyCipher(keys),
  };
}

/** One service's keys. Their table comes with the migrations beside this file. */
export function createIdempotency({ database, clock, log, masterKeys }: IdempotencyOptions): Idempotency {
  const cipher = idempotencyCipher(masterKeys);
  const options = { database, clock, cipher };
  const guard = createEffectGuard(database);
  const attempts = new WeakMap<FastifyRequest, RunningAttempt>();

  function begin(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const identity = identifyRequest(request, cipher);
    if (identity === undefined) {
      done();
      return;
    }
    takeKey(identity, options).then((outcome) => {
      if ('answer' in outcome) return replayResponse(reply, outcome.answer);
      attempts.set(request, outcome.attempt);
      return guard.run(outcome.attempt, done);
    }, done);
  }

  function end(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ): void {
    const attempt = attempts.get(request);
    if (attempt === undefined) {
      done(null, payload);
      return;
    }
    attempts.delete(request);
    // The caller gets the response in any case. A repeat then gets 409, because the response was lost.
    endAttempt(attempt, { reply, payload }, options)
      .catch((error: unknown) => log.warn({ event: 'idempotency.answer-not-kept', err: error }))
      .then(() => done(null, payload));
  }

  const sweepOld = () => sweep(database, new Date(clock.now()));
  return {
    database: guard.database,
    register: (app) => {
      app.addHook('onRoute', (route) => {
        if (!route.config?.idempotent) return;
        route.preHandler = [route.preHandler ?? [], begin].flat();
        route.onSend = [route.onSend ?? [], end].flat();
      });
    },
    sweep: sweepOld,
    loop: createPeriodicLoop({ name: 'idempotency-sweep', intervalMs: SWEEP_EVERY_MS, log, run: sweepOld }),
  };
}
