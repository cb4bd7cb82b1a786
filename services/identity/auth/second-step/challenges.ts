// Challenges: what a sign-in receives for the right password while a second step is required. A challenge is 256 random
// bits that stand for the account and the handshake, for a few minutes and a few wrong codes.
import { type Clock, MINUTE_MS } from '#lib/clock.ts';
import { randomSecret, sha256 } from '#lib/crypto/secret.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import * as store from './challenge-store.ts';

const ALLOWED_WRONG_CODES = 5;
/** A code is at hand; setting up an app or writing down recovery codes takes longer. */
const LIFETIME_MS = { code: 5 * MINUTE_MS, set_up: 15 * MINUTE_MS, continue: 15 * MINUTE_MS } as const;

/** The redirect address of a sign-in and the parameters that it carries there (decision I3). */
export interface Handshake {
  readonly next: string;
  /** The client of the sign-in; undefined when none was named. */
  readonly clientId: string | undefined;
  readonly state?: string | undefined;
  readonly mode: 'token' | 'code';
  /** The code challenge that the code is bound to (../../shared/code-challenge.ts). */
  readonly codeChallenge?: string | undefined;
}

export interface OpenChallenge {
  readonly hash: Buffer;
  readonly userGuid: string;
  readonly email: string;
  /** The required step: a code, the first code of a new second factor, or none. */
  readonly kind: store.ChallengeKind;
  readonly handshake: Handshake | undefined;
}

export interface CreatedChallenge {
  readonly challenge: string;
  readonly expiresAt: Date;
}

export interface Challenges {
  make(tx: Transaction, wanted: Pick<OpenChallenge, 'userGuid' | 'kind' | 'handshake'>): Promise<CreatedChallenge>;
  /** @throws ServiceError `authentication_failed` when the challenge is unknown, used or expired */
  read(challenge: string): Promise<OpenChallenge>;
  /** Deletes the challenge. @throws ServiceError `authentication_failed` when it was used meanwhile */
  close(tx: Transaction, hash: Buffer): Promise<void>;
  /** @throws ServiceError `authentication_failed` when it was used meanwhile */
  countWrongCode(tx: Transaction, hash: Buffer): Promise<void>;
  /** Ends all of the user's unfinished sign-ins. */
  closeAllOf(tx: Transaction, userGuid: string): Promise<void>;
  /** Ends those that wait for a set-up: only the sign-in that begins another set-up may see its secret. */
  closeSetUpsOf(tx: Transaction, userGuid: string): Promise<void>;
  sweep(): Promise<void>;
}

export function createChallenges({ database, clock }: { database: Database; clock: Clock }): Challenges {
  return {
    async make(tx, { userGuid, kind, handshake }) {
      const challenge = randomSecret();
      const expiresAt = new Date(clock.now() + LIFETIME_MS[kind]);
      const { next = null, state = null, mode: responseMode = null, codeChallenge = null } = handshake ?? {};
      const { clientId = null } = handshake ?? {};
      await store.insertChallenge(tx, {
        hash: sha256(challenge),
        userGuid,
        kind,
        next,
        state,
        responseMode,
        codeChallenge,
        clientId,
        expiresAt,
      });
      return { challenge, expiresAt };
    },
    async read(challenge) {
      const hash = sha256(challenge);
      const row = await store.readChallenge(database, hash);
      if (row === null || row.expires_at.getTime() <= clock.now()) throw gone();
      return { hash, userGuid: row.user_guid, email: row.email, kind: row.kind, handshake: handshakeOf(row) };
    },
    async close(tx, hash) {
      if (!(await store.deleteChallenge(tx, hash))) throw gone();
    },
    async countWrongCode(tx, hash) {
      if (!(await store.countWrongCode(tx, hash, ALLOWED_WRONG_CODES))) throw gone();
    },
    closeAllOf: store.deleteChallengesOf,
    closeSetUpsOf: store.deleteSetUpsOf,
    sweep: () => store.sweep(database, new Date(clock.now())),
  };
}

function handshakeOf({
  next,
  state,
  response_mode: mode,
  code_challenge: challenge,
  client_id: clientId,
}: store.ChallengeRow): Handshake | undefined {
  if (next === null) return undefined;
  const named = { clientId: clientId ?? undefined, state: state ?? undefined };
  return { next, ...named, mode: mode ?? 'token', codeChallenge: challenge ?? undefined };
}

function gone(): ServiceError {
  const message = 'The challenge is unknown, used or expired: sign in again';
  return new ServiceError('authentication_failed', message, { issues: [{ field: 'challenge', message }] });
}
