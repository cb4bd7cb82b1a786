// The user CSV without a running service: for the command `kedja users` and for benchmarks.
import { createAudit } from '#lib/audit/audit.ts';
import { createPasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Clock } from '#lib/clock.ts';
import type { Secret } from '#lib/config/secret.ts';
import type { Database } from '#lib/db/database.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import { createPatientLinks } from '../patient-records/link-service.ts';
import { requirePersonnummerKey } from '../patients/service.ts';
import { createRevocations } from '../revocations/service.ts';
import { personnummerCipher } from '../shared/ciphers.ts';
import { createUserCsv, type UserCsv } from './service.ts';

export interface StandaloneOptions {
  /** A database with identity's schema, migrated. */
  readonly database: Database;
  readonly clock: Clock;
  /** The settings that identity runs with. */
  readonly sealingKeys: KeySet;
  readonly importPassword: Secret | undefined;
}

/** @throws Error when the personnummer in the database are encrypted with another key */
export async function openUserCsv(options: StandaloneOptions): Promise<UserCsv> {
  const { database, clock, sealingKeys, importPassword } = options;
  const cipher = personnummerCipher(sealingKeys);
  await requirePersonnummerKey(database, cipher);
  const audit = createAudit({ database, clock, service: 'identity' });
  const links = createPatientLinks({ clock, audit, revocations: createRevocations({ database, clock }) });
  return createUserCsv({ database, clock, audit, cipher, links, passwords: createPasswordHasher(), importPassword });
}
