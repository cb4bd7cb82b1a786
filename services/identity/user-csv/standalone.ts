// The user CSV where no service runs: for the command `kedja users` and for benchmarks.
import { createAudit } from '#lib/audit/audit.ts';
import { createPasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Clock } from '#lib/clock.ts';
import type { Secret } from '#lib/config/secret.ts';
import { createFieldCipher } from '#lib/crypto/field-cipher.ts';
import type { Database } from '#lib/db/database.ts';
import { requirePersonnummerKey } from '../patients/service.ts';
import { createUserCsv, type UserCsv } from './service.ts';

export interface StandaloneOptions {
  /** On identity's schema, migrated. */
  readonly database: Database;
  readonly clock: Clock;
  /** The one that identity runs with. */
  readonly personnummerKey: Uint8Array;
  readonly importPassword: Secret | undefined;
}

/** @throws Error when the personnummer in the database are encrypted with another key */
export async function openUserCsv(options: StandaloneOptions): Promise<UserCsv> {
  const { database, clock, personnummerKey, importPassword } = options;
  const cipher = createFieldCipher(personnummerKey, 'personnummer');
  await requirePersonnummerKey(database, cipher);
  const audit = createAudit({ database, clock, service: 'identity' });
  return createUserCsv({ database, clock, audit, cipher, passwords: createPasswordHasher(), importPassword });
}
