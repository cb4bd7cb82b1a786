// Encrypts secrets that must be read again, unlike passwords and API keys, of which a hash is enough. The keys are not
// in the database, so that a reader of the database alone learns nothing. Each sealed value names its key, of which
// there may be several generations (docs/adr/0048).
import { createHmac } from 'node:crypto';
import { createFieldCipher, type FieldCipher } from '../crypto/field-cipher.ts';
import { cacheByKey, deriveKeyId, type KeySet, type MasterKey, MissingKeyError } from './key-set.ts';

const ID_BYTES = 4;
/** The first byte of a value without key id, which the first generation sealed, and of one with key id. */
const FIRST = Buffer.of(1);
const NAMED = Buffer.of(2);

export interface Sealer {
  /** `context` names the owner of the secret. It must be the same at opening. */
  seal(secret: string, context: string): Buffer;
  /**
   * @throws MissingKeyError when its key is not there; Error when the bytes or the context are not those that were
   * sealed
   */
  open(sealed: Uint8Array, context: string): string;
  /** The first bytes of every value that this generation seals. */
  markOf(key: MasterKey): Buffer;
  readonly keys: KeySet;
}

export interface SealerOptions {
  readonly keys: KeySet;
  /** Separates what is derived from the same key. */
  readonly purpose: string;
  /** The column of the values, for errors: `patient.personnummer_sealed`. */
  readonly place: string;
}

/** The id of the key, then version, nonce, ciphertext and tag. */
export function createSealer(options: SealerOptions): Sealer {
  const { keys, place } = options;
  const derived = cacheByKey((key) => deriveKey(key, options.purpose));
  return {
    keys,
    markOf: (key) => derived(key).id,
    seal(secret, context) {
      const { id, cipher } = derived(keys.sealing());
      return Buffer.concat([id, cipher.seal(secret, context)]);
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed);
      const id = bytes.subarray(0, ID_BYTES);
      const found = keys.all().find((key) => derived(key).id.equals(id));
      if (found === undefined) throw missing(keys, { keyId: id.toString('hex'), place, context });
      return derived(found).cipher.open(bytes.subarray(ID_BYTES), context);
    },
  };
}

/** With keyed indexes, which no rotation changes. */
export function createRotatingCipher(options: SealerOptions): Sealer & FieldCipher {
  const indexKey = options.keys.indexKey(options.purpose);
  return {
    ...createRotatingSealer(options),
    index: (text) => createHmac('sha256', indexKey).update(text).digest(),
  };
}

/** The index of a text under a generation of the index key. */
export interface VersionedIndex {
  /** 32 bytes. @throws MissingKeyError where that generation is not there */
  indexWith(text: string, generation: number): Buffer;
}

/** With an index whose key has generations (docs/adr/0064). */
export function createReindexedCipher(
  options: SealerOptions,
): Sealer & Pick<FieldCipher, 'seal' | 'open'> & VersionedIndex {
  const { keys, purpose } = options;
  return {
    ...createRotatingSealer(options),
    indexWith: (text, generation) => createHmac('sha256', keys.indexKey(purpose, generation)).update(text).digest(),
  };
}

/**
 * The format from before keys had generations. Values of the first generation name no key, so that the release before
 * can read them. Those of later ones are the byte 2, the id of the key, and the same format.
 */
export function createRotatingSealer(options: SealerOptions): Sealer {
  const { keys, purpose, place } = options;
  const derived = cacheByKey((key) => {
    const { id, cipher } = deriveKey(key, purpose);
    return { id, cipher, mark: key.generation === 1 ? FIRST : Buffer.concat([NAMED, id]) };
  });

  function findKey(bytes: Buffer, context: string): MasterKey {
    const found = keys.all().find((key) => {
      const { mark } = derived(key);
      return mark.equals(bytes.subarray(0, mark.length));
    });
    if (found !== undefined) return found;
    if (bytes[0] !== NAMED[0] && bytes[0] !== FIRST[0]) throw new Error(`No sealed value: ${place} of ${context}`);
    const keyId = bytes[0] === FIRST[0] ? 'of generation 1' : bytes.subarray(1, 1 + ID_BYTES).toString('hex');
    throw missing(keys, { keyId, place, context });
  }

  return {
    keys,
    markOf: (key) => derived(key).mark,
    seal(text, context) {
      const { mark, cipher } = derived(keys.sealing());
      const sealed = cipher.seal(text, context);
      return mark === FIRST ? sealed : Buffer.concat([mark, sealed]);
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed);
      const { mark, cipher } = derived(findKey(bytes, context));
      return cipher.open(mark === FIRST ? bytes : bytes.subarray(mark.length), context);
    },
  };
}

function deriveKey({ bytes }: MasterKey, purpose: string): { id: Buffer; cipher: Pick<FieldCipher, 'seal' | 'open'> } {
  return { id: deriveKeyId(bytes, purpose), cipher: createFieldCipher(bytes, purpose) };
}

function missing(keys: KeySet, details: { keyId: string; place: string; context: string }): MissingKeyError {
  const error = new MissingKeyError({ name: keys.name, ...details });
  keys.onMissing?.(error);
  return error;
}
