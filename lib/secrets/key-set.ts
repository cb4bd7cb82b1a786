// The generations of a sealing key (docs/adr/0048). All of them open what they sealed; the newest seals as soon as
// every node can have read it. Every use reads the set, so that a rotation takes effect without a restart.
import { hkdfSync } from 'node:crypto';
import { ServiceError } from '../errors.ts';

export const KEY_BYTES = 32;
const ID_BYTES = 4;
/** The key folder is read again within this time. */
const RETRY_AFTER_SECONDS = 5;

/**
 * One generation of a key. The object stays the same while its bytes do, so derived keys may be cached by it.
 */
export interface MasterKey {
  /** From 1 on. */
  readonly generation: number;
  /** 32 random bytes. */
  readonly bytes: Uint8Array;
  /** In milliseconds: it seals from then on, until a newer one does. */
  readonly sealsFrom: number;
}

export interface KeySet {
  /** The name of the key and of its files. */
  readonly name: string;
  /** The generation that seals now. */
  sealing(): MasterKey;
  /** All generations, the newest first. */
  all(): readonly MasterKey[];
  /**
   * The 32 bytes that key the indexes of that purpose. They stay the same when the sealing key is rotated. An index
   * that can be rebuilt has generations of its own (docs/adr/0064); the first when left out.
   * @throws MissingKeyError for a later one that is not there
   */
  indexKey(purpose: string, generation?: number): Uint8Array;
  /** Called for each value that names a missing key, before its error is thrown. */
  onMissing?(missing: MissingKeyError): void;
}

/** The error for a value whose key is not in the set. The value can be read again when the key is back. */
export class MissingKeyError extends ServiceError {
  /** The key, its generation and the table, for the log. */
  readonly detail: string;

  constructor(missing: MissingKey | { readonly detail: string }) {
    super('unavailable', 'A value cannot be read at present, as the key that it was sealed with is missing', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
    this.name = 'MissingKeyError';
    this.detail = 'detail' in missing ? missing.detail : detailOf(missing);
  }
}

interface MissingKey {
  readonly name: string;
  readonly keyId: string;
  readonly place: string;
  readonly context: string;
}

function detailOf({ name, keyId, place, context }: MissingKey): string {
  return `${place} of ${context} was sealed with key ${keyId} of ${name}, which is not in the key folder`;
}

/**
 * A set that does not change: the newest first, of which the first seals. For tests and benchmarks.
 * @throws Error for no key or one of another length
 */
export function fixedKeys(...masters: readonly Uint8Array[]): KeySet {
  const keys = masters.map((bytes, index) => ({ generation: masters.length - index, bytes, sealsFrom: 0 }));
  const [newest] = keys;
  const oldest = keys.at(-1);
  if (newest === undefined || oldest === undefined) throw new Error('A key set needs at least one key');
  for (const { bytes } of keys) requireLength(bytes);
  return {
    name: 'fixed',
    sealing: () => newest,
    all: () => keys,
    indexKey: (purpose, generation = 1) =>
      deriveIndexKey(oldest.bytes, generation === 1 ? purpose : `${purpose} ${generation}`),
  };
}

/** @throws Error for another length */
function requireLength(bytes: Uint8Array): void {
  if (bytes.length !== KEY_BYTES) throw new Error(`A key must have ${KEY_BYTES} bytes`);
}

/** 32 bytes for one use of a secret (HKDF, RFC 5869). */
export function derive(secret: Uint8Array, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', use, KEY_BYTES));
}

/** Derives an index key as before sealing keys had generations. This derivation never changes. */
export function deriveIndexKey(secret: Uint8Array, purpose: string): Buffer {
  return derive(secret, `${purpose} index`);
}

/** The four bytes by which values of this purpose name the key. They reveal nothing of it. */
export function deriveKeyId(secret: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `${purpose} key id`, ID_BYTES));
}

/** Caches a derived value for each key of a set. */
export function cacheByKey<Derived>(make: (key: MasterKey) => Derived): (key: MasterKey) => Derived {
  const known = new WeakMap<MasterKey, Derived>();
  return (key) => {
    const found = known.get(key) ?? make(key);
    known.set(key, found);
    return found;
  };
}
