// Rotation and revocation of signing keys (decision I1). A new key is published at once, and signs when every node and
// every verifier can know it. The old key then loses its private part, stays published until its last token has
// expired, and is deleted. A leaked key is revoked with all tokens that it signed. Operators' page:
// docs/operations/keys.md.

import type { Principal } from '#lib/auth/principal.ts';
import type { Transaction } from '#lib/db/database.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Revocations } from '../revocations/service.ts';
import type { KeyMaterial } from './key-material.ts';
import * as store from './store.ts';

/** Published keys may be cached for a minute (./routes.ts), and a node's list may be a minute old (./service.ts). */
export const PUBLISHED_BEFORE_MS = 120_000;
/** How much the clocks of nodes may differ. */
const CLOCK_LEEWAY_MS = 60_000;

export type KeyState = 'published' | 'signing' | 'retired';

export interface KeyReport {
  readonly keyId: string;
  readonly state: KeyState;
  readonly createdAt: Date;
  readonly signsFrom: Date;
  readonly publishedUntil: Date | null;
  /** The number of active tokens that it signed. */
  readonly tokens: number;
}

export interface Rotation {
  readonly keyId: string;
  readonly signsFrom: Date;
  /** False when a key was already waiting to sign; the report is then about that key. */
  readonly isNew: boolean;
}

export interface KeyRotation {
  list(): Promise<KeyReport[]>;
  /** @throws Error when the keys in the database were sealed with another secret */
  rotate(): Promise<Rotation>;
  /** Returns how many tokens of how many users were revoked; undefined when there is no such key. */
  revoke(keyId: string): Promise<{ tokens: number; users: number; signingKeyId: string } | undefined>;
  /** Deletes keys that are no longer needed; every node does so regularly. */
  retire(): Promise<void>;
}

export interface KeyRotationDeps extends WriteDependencies {
  readonly revocations: Pick<Revocations, 'keysChanged' | 'revokeTokensOfKey'>;
  readonly material: KeyMaterial;
  /** The operator, for the audit record. */
  readonly operator?: Principal;
}

export function createKeyRotation(deps: KeyRotationDeps): KeyRotation {
  const { database, clock, material, revocations } = deps;
  return {
    list: () => list(deps),

    async rotate() {
      const now = clock.now();
      const made = await material.make({ now, signsFrom: now + PUBLISHED_BEFORE_MS });
      return database.transaction((tx) => rotate(tx, deps, made));
    },

    async revoke(keyId) {
      const now = clock.now();
      const successor = await material.make({ now, signsFrom: now });
      return database.transaction((tx) => revoke(tx, deps, { keyId, successor }));
    },

    async retire() {
      if (!needsWork(await store.readKeys(database), clock.now())) return;
      await database.transaction(async (tx) => {
        await store.lockKeys(tx);
        const now = clock.now();
        const keys = await store.readKeys(tx);
        for (const key of superseded(keys, now)) {
          await store.retireKey(tx, key.key_id, new Date(now), CLOCK_LEEWAY_MS);
        }
        const outdated = await unneeded(tx, keys, now);
        for (const key of outdated) await store.deleteKey(tx, key.key_id);
        if (outdated.length > 0) await revocations.keysChanged(tx);
      });
    },
  };
}

async function list({ database, clock }: KeyRotationDeps): Promise<KeyReport[]> {
  const now = clock.now();
  const keys = await store.readKeys(database);
  const signing = signingKey(keys, now);
  return Promise.all(
    keys.map(async (key) => {
      const { tokens, lastExpiry } = await store.countActive(database, key.key_id, new Date(now));
      const isWaiting = key.signs_from.getTime() > now;
      const state = key === signing ? 'signing' : isWaiting ? 'published' : 'retired';
      const publishedUntil = key.published_until ?? (state === 'retired' ? lastExpiry : null);
      return {
        keyId: key.key_id,
        state,
        createdAt: key.created_at,
        signsFrom: key.signs_from,
        publishedUntil,
        tokens,
      } as const;
    }),
  );
}

async function rotate(tx: Transaction, deps: KeyRotationDeps, made: store.NewKey): Promise<Rotation> {
  const { clock, audit, material, revocations, operator } = deps;
  await store.lockKeys(tx);
  const keys = await store.readKeys(tx);
  const waiting = keys.find((key) => key.signs_from.getTime() > clock.now());
  if (waiting !== undefined) return { keyId: waiting.key_id, signsFrom: waiting.signs_from, isNew: false };
  // A key that the nodes cannot decrypt would end all sign-ins.
  const signing = signingKey(keys, clock.now());
  if (signing !== undefined) await material.open(signing);
  const signsFrom = signing === undefined ? new Date(clock.now()) : made.signs_from;
  await store.insertKey(tx, { ...made, signs_from: signsFrom });
  await revocations.keysChanged(tx);
  const entities = [`signing-key/${made.key_id}`];
  await audit.record(tx, { action: 'C', event: 'signing-key.rotate', principal: operator, entities });
  return { keyId: made.key_id, signsFrom, isNew: true };
}

async function revoke(
  tx: Transaction,
  { clock, audit, material, revocations, operator }: KeyRotationDeps,
  { keyId, successor }: { keyId: string; successor: store.NewKey },
) {
  await store.lockKeys(tx);
  const now = clock.now();
  const keys = await store.readKeys(tx);
  if (!keys.some((key) => key.key_id === keyId)) return undefined;
  const others = keys.filter((key) => key.key_id !== keyId && key.private_sealed !== null);
  const next = signingKey(others, now) ?? others.at(-1);
  if (next === undefined) await store.insertKey(tx, successor);
  else {
    await material.open(next);
    if (next.signs_from.getTime() > now) await store.signFrom(tx, next.key_id, new Date(now));
  }
  const { tokens, users } = await store.countActive(tx, keyId, new Date(now));
  await revocations.revokeTokensOfKey(tx, keyId);
  await store.deleteKey(tx, keyId);
  await revocations.keysChanged(tx);
  const detail = `${tokens} tokens of ${users} users`;
  const entities = [`signing-key/${keyId}`];
  await audit.record(tx, { action: 'D', event: 'signing-key.revoke', principal: operator, entities, detail });
  return { tokens, users, signingKeyId: next?.key_id ?? successor.key_id };
}

/** The newest key whose `signs_from` has passed. */
function signingKey(keys: readonly store.SigningKeyRow[], now: number): store.SigningKeyRow | undefined {
  return keys.findLast((key) => key.private_sealed !== null && key.signs_from.getTime() <= now);
}

/** Keys that still have a private part although no node signs with them any more, whatever its clock says. */
function superseded(keys: readonly store.SigningKeyRow[], now: number): store.SigningKeyRow[] {
  const signing = signingKey(keys, now - CLOCK_LEEWAY_MS);
  return keys.slice(0, signing === undefined ? 0 : keys.indexOf(signing)).filter((key) => key.private_sealed !== null);
}

function isPast(key: store.SigningKeyRow, now: number): boolean {
  return key.published_until !== null && key.published_until.getTime() <= now;
}

function needsWork(keys: readonly store.SigningKeyRow[], now: number): boolean {
  return superseded(keys, now).length > 0 || keys.some((key) => isPast(key, now));
}

async function unneeded(
  tx: Transaction,
  keys: readonly store.SigningKeyRow[],
  now: number,
): Promise<store.SigningKeyRow[]> {
  const past = keys.filter((key) => isPast(key, now));
  const counts = await Promise.all(past.map((key) => store.countActive(tx, key.key_id, new Date(now))));
  return past.filter((_, index) => counts[index]?.tokens === 0);
}
