// Argon2id hashes of passwords (decision I2; RFC 9106). They use twice the passes of the OWASP minimum, because these
// passwords protect health records: about 14 ms of one core for each guess. Hashing runs off the event loop, with
// enough concurrency to keep the cores busy. A caller who would wait too long is refused at once.
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash as argon2, verify as argon2Verify, parseOptions } from '@node-rs/argon2';
import { ServiceError } from '../errors.ts';
import { normalisePassword } from '../passwords/text.ts';

/** Algorithm 2 is Argon2id; memory in KiB. */
export interface Argon2Parameters {
  readonly algorithm: 2;
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
  readonly outputLen: number;
}

export const ARGON2_PARAMETERS: Argon2Parameters = {
  algorithm: 2,
  memoryCost: 19_456,
  timeCost: 4,
  parallelism: 1,
  outputLen: 32,
};
const WAITING_PER_CORE = 32;
const RETRY_AFTER_SECONDS = 2;
/**
 * Hashes in flight beyond the number of cores, so that no core is idle while the event loop submits the next. Each has
 * 19 MiB of its own: with two more, the cores' caches cost a tenth of the processor time of a hash.
 */
const HANDED_OVER = 1;

export interface PasswordHasher {
  /** A hash in PHC form. @throws ServiceError `unavailable` when too many wait already */
  hash(password: string): Promise<string>;
  /**
   * Whether the password matches the hash. Without a hash (no such account) the same work is done and the result is
   * false. So the time taken does not reveal which accounts exist.
   * @throws ServiceError `unavailable`
   */
  verify(hash: string | undefined, password: string): Promise<boolean>;
  /** Whether the hash has other parameters than the current ones. */
  needsRehash(hash: string): boolean;
}

export interface PasswordHasherOptions {
  /** Hashes in flight; by default the number of cores plus one. */
  readonly concurrency?: number;
  /** How many calls may wait. */
  readonly maxWaiting?: number;
  /** Those of decision I2 when left out. */
  readonly parameters?: Argon2Parameters;
}

export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const parameters = options.parameters ?? ARGON2_PARAMETERS;
  const concurrency = options.concurrency ?? availableParallelism() + HANDED_OVER;
  const maxWaiting = options.maxWaiting ?? concurrency * WAITING_PER_CORE;
  const waiting: Array<() => void> = [];
  let running = 0;
  const nobodysHash = argon2(randomBytes(32), parameters);

  async function bounded<T>(work: () => Promise<T>): Promise<T> {
    if (running >= concurrency) {
      if (waiting.length >= maxWaiting) throw overloaded();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The slot is passed on, so that a new call cannot overtake those that wait.
      if (next === undefined) running -= 1;
      else next();
    }
  }

  return {
    hash: (password) => bounded(() => argon2(normalisePassword(password), parameters)),
    async verify(hash, password) {
      const known = hash ?? (await nobodysHash);
      const matches = await bounded(() => argon2Verify(known, normalisePassword(password)));
      return matches && hash !== undefined;
    },
    needsRehash(hash) {
      const used = parseOptions(hash);
      return Object.entries(parameters).some(([name, value]) => Object(used)[name] !== value);
    },
  };
}

function overloaded(): ServiceError {
  return new ServiceError('unavailable', 'Too many sign-ins at once; try again shortly', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
