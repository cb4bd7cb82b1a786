// The temporary password that accounts get which somebody else makes (decision I13): one for all, to be changed first,
// and good for 72 hours.
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Clock } from '#lib/clock.ts';
import type { Secret } from '#lib/config/secret.ts';
import { conflict } from '#lib/errors.ts';
import type { PasswordOwner } from '#lib/passwords/personal.ts';
import { judgeForOwners } from '#lib/passwords/policy.ts';

/** How long a temporary password works. */
const TEMPORARY_PASSWORD_MS = 72 * 3_600_000;

/** The password of an account to be made; with `expiresAt` it is temporary, and must be changed first. */
export interface AccountPassword {
  readonly passwordHash: string;
  readonly expiresAt?: Date;
}

/** @throws ServiceError `conflict` when there is no temporary password */
export function requireImportPassword(importPassword: Secret | undefined): Secret {
  if (importPassword !== undefined) return importPassword;
  throw conflict('There is no temporary password for imported users: set KEDJA_IMPORT_PASSWORD');
}

/**
 * What is wrong with the temporary password for somebody with these names, address and organisations; undefined when
 * nothing is.
 */
export function judgeTemporaryPassword(
  importPassword: Secret | undefined,
): (owner: PasswordOwner) => string | undefined {
  const judge = judgeForOwners(requireImportPassword(importPassword).reveal());
  return (owner) => {
    const issue = judge(owner);
    return issue && `the temporary password (KEDJA_IMPORT_PASSWORD) ${issue}`;
  };
}

/** @throws ServiceError `conflict` when there is no temporary password, or `owner` would guess it */
export async function makeTemporaryPassword(
  deps: {
    readonly clock: Clock;
    readonly passwords: PasswordHasher;
    readonly importPassword: Secret | undefined;
  },
  owner?: PasswordOwner,
): Promise<Required<AccountPassword>> {
  const password = requireImportPassword(deps.importPassword);
  const issue = owner && judgeTemporaryPassword(password)(owner);
  if (issue !== undefined) throw conflict(`T${issue.slice(1)}`);
  const passwordHash = await deps.passwords.hash(password.reveal());
  return { passwordHash, expiresAt: new Date(deps.clock.now() + TEMPORARY_PASSWORD_MS) };
}
