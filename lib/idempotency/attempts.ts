// The attempts at a request with an Idempotency-Key. An attempt claims the key, or gets the stored response. At the end
// it stores its response or releases the key.
import type { FastifyReply } from 'fastify';
import { type Clock, DAY_MS } from '../clock.ts';
import type { FieldCipher } from '../crypto/field-cipher.ts';
import type { Database } from '../db/database.ts';
import { conflict, ServiceError } from '../errors.ts';
import { newGuid } from '../guid.ts';
import type { RunningAttempt } from './effect-guard.ts';
import * as store from './key-store.ts';
import type { RequestIdentity } from './request-identity.ts';
import { serializeResponse } from './stored-response.ts';

const STORED_MS = DAY_MS;
/**
 * How long a crashed attempt holds its key. One that takes longer and lives cannot commit any more once another has
 * begun.
 */
const LEASE_MS = 30_000;
const RETRY_AFTER_SECONDS = 1;

/** Either the request may be carried out, or `answer` is the stored response of an earlier attempt. */
export type Outcome = { readonly attempt: RunningAttempt } | { readonly answer: string };

export interface AttemptsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly cipher: FieldCipher;
}

/**
 * @throws ServiceError `unprocessable` after another request, `conflict` while the first runs or when its response was
 * lost
 */
export async function takeKey(
  identity: RequestIdentity,
  { database, clock, cipher }: AttemptsOptions,
): Promise<Outcome> {
  const { record, fingerprint } = identity;
  for (;;) {
    const now = clock.now();
    const guid = newGuid();
    const times = { now: new Date(now), leaseUntil: new Date(now + LEASE_MS), expiresAt: new Date(now + STORED_MS) };
    if (await store.claim(database, { record, guid, fingerprint, ...times })) {
      return { attempt: { record, guid, isRunning: true } };
    }
    const row = await store.read(database, record);
    // It was released between the two statements: try again.
    if (row !== undefined) return { answer: cipher.open(responseTo(row, { fingerprint, now }), contextOf(record)) };
  }
}

/**
 * Stores the response before it is sent. A refusal without an effect releases the key, so that a repeat is carried out.
 * A failure after an effect is not stored, because its outcome is unknown.
 */
export async function endAttempt(
  attempt: RunningAttempt,
  { reply, payload }: { reply: FastifyReply; payload: unknown },
  { database, cipher }: AttemptsOptions,
): Promise<void> {
  attempt.isRunning = false;
  const { statusCode } = reply;
  if (statusCode >= 400 && (await store.release(database, attempt))) return;
  const described = statusCode >= 500 ? undefined : serializeResponse(reply, payload);
  if (described === undefined) return;
  await store.storeResponse(database, attempt, cipher.seal(described, contextOf(attempt.record)));
}

/** The sealed response to a repeated request. */
function responseTo(row: store.KeyRow, { fingerprint, now }: { fingerprint: Buffer; now: number }): Buffer {
  if (!row.fingerprint.equals(fingerprint)) {
    throw new ServiceError('unprocessable', 'This Idempotency-Key was sent with another request before');
  }
  if (row.answer !== null) return row.answer;
  if (row.has_effect && row.lease_until.getTime() <= now) {
    throw conflict(
      'The first request with this Idempotency-Key took effect, but its answer was lost; look at what it made',
    );
  }
  throw new ServiceError('conflict', 'A request with this Idempotency-Key is being worked on', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function contextOf(record: Buffer): string {
  return record.toString('hex');
}
