// A cache of access blobs and their principals by token, for a few seconds (decision G8). An entry is removed as soon
// as the revocation feed says that its user changed, also while its lookup runs. So no old blob is cached. Entries are
// bounded in number and in bytes.
import { type Clock, elapsedOf } from '../clock.ts';
import { type AccessBlob, principalOfBlob } from './access-blob.ts';
import type { Principal } from './principal.ts';
import type { TokenClaims } from './token-verifier.ts';

/** What a token gives access to. */
export interface Access {
  readonly principal: Principal;
  readonly blob: AccessBlob;
  readonly claims: TokenClaims;
}

export interface AccessCache {
  /** The cached access of the token, without a lookup; undefined when it must be looked up. */
  findCached(token: string): Access | undefined;
  /**
   * The cached access, or else the result of a lookup. Concurrent calls share one lookup. A failed lookup is not
   * cached.
   */
  get(token: string, claims: TokenClaims, load: () => Promise<AccessBlob | undefined>): Promise<Access | undefined>;
  deleteUser(userGuid: string): void;
  deleteAll(): void;
}

interface Entry {
  readonly token: string;
  readonly userGuid: string;
  readonly found: Promise<Access | undefined>;
  /** Set when `found` has resolved. */
  access: Access | undefined;
  /** By {@link elapsedOf}: a clock that is set back does not make it older. */
  readonly keptUntil: number;
  /** The token's own end. */
  readonly expiresAt: number;
  bytes: number;
}

/**
 * Entries are indexed by the end of the signature, which is much faster to hash than the token. The whole token is
 * compared then.
 */
const TAIL_LENGTH = 32;
const tailOf = (token: string) => token.slice(-TAIL_LENGTH);

/** The approximate size of an entry's own objects and index entries. */
const ENTRY_BYTES = 1_000;

/** The access that the loaded blob describes; undefined when there is none. */
export async function readAccess(
  claims: TokenClaims,
  load: () => Promise<AccessBlob | undefined>,
): Promise<Access | undefined> {
  const blob = await load();
  return blob === undefined ? undefined : { blob, claims, principal: principalOfBlob(blob, claims.tokenId) };
}

/**
 * `ttlMs` counts from the start of the lookup, and no entry outlives its token. `maxBytes` is the approximate size of
 * all text.
 */
export function createAccessCache(options: {
  ttlMs: number;
  maxEntries: number;
  maxBytes: number;
  clock: Clock;
}): AccessCache {
  const { ttlMs, maxEntries, maxBytes, clock } = options;
  // A Map iterates in the order of insertion, so its first entry is the oldest.
  const byTail = new Map<string, Entry>();
  const byUser = new Map<string, Set<Entry>>();
  let bytes = 0;

  const isCurrent = ({ keptUntil, expiresAt }: Entry) => keptUntil > elapsedOf(clock) && expiresAt > clock.now();

  function remove(entry: Entry): void {
    const tail = tailOf(entry.token);
    if (byTail.get(tail) !== entry) return;
    byTail.delete(tail);
    bytes -= entry.bytes;
    const others = byUser.get(entry.userGuid);
    others?.delete(entry);
    if (others?.size === 0) byUser.delete(entry.userGuid);
  }

  function add(entry: Entry): void {
    byTail.set(tailOf(entry.token), entry);
    bytes += entry.bytes;
    const others = byUser.get(entry.userGuid);
    if (others === undefined) byUser.set(entry.userGuid, new Set([entry]));
    else others.add(entry);
    trim();
  }

  function trim(): void {
    for (const entry of byTail.values()) {
      if (byTail.size <= maxEntries && bytes <= maxBytes) return;
      remove(entry);
    }
  }

  /** Stores the result, unless the entry was removed meanwhile. */
  function settle(entry: Entry, access: Access | undefined): void {
    if (byTail.get(tailOf(entry.token)) !== entry) return;
    entry.access = access;
    const size = access === undefined ? 0 : JSON.stringify(access.blob).length;
    entry.bytes += size;
    bytes += size;
    trim();
  }

  function lookUp(token: string, claims: TokenClaims, load: () => Promise<AccessBlob | undefined>): Entry {
    const expiresAt = claims.expiresAt * 1000;
    const keptUntil = elapsedOf(clock) + ttlMs;
    const found = readAccess(claims, load);
    const common = { token, userGuid: claims.userGuid, found, keptUntil, expiresAt };
    const entry: Entry = { ...common, access: undefined, bytes: ENTRY_BYTES + token.length };
    add(entry);
    found.then(
      (access) => settle(entry, access),
      () => remove(entry),
    );
    return entry;
  }

  return {
    findCached(token) {
      const entry = byTail.get(tailOf(token));
      return entry?.token === token && isCurrent(entry) ? entry.access : undefined;
    },
    get(token, claims, load) {
      const known = byTail.get(tailOf(token));
      if (known?.token === token && isCurrent(known)) return known.found;
      if (known !== undefined) remove(known);
      return lookUp(token, claims, load).found;
    },
    deleteUser(userGuid) {
      for (const entry of byUser.get(userGuid) ?? []) remove(entry);
    },
    deleteAll() {
      byTail.clear();
      byUser.clear();
      bytes = 0;
    },
  };
}
