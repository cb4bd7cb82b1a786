// The temporary password of accounts that somebody else creates (decision I13): one for all accounts. It must be
// changed at the first sign-in and expires after 72 hours.
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import { type Clock, HOUR_MS } from '#lib/clock.ts';
import type { Secret } from '#lib/config/secret.ts';
import { conflict } from '#lib/errors.ts';
import type { PasswordOwner } from '#lib/passwords/personal.ts';
import { ownerCheck } from '#lib/passwords/policy.ts';

/** The lifetime of a temporary password. */
const TEMPORARY_PASSWORD_MS = 72 * HOUR_MS;

/** The password of a new account. With `expiresAt` it is temporary and must be changed first. */
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
 * Why the temporary password does not suit a user with these names, address and organisations; undefined when it does.
 */
export function checkTemporaryPassword(
  importPassword: Secret | undefined,
): (owner: PasswordOwner) => string | undefined {
  const issueFor = ownerCheck(requireImportPassword(importPassword).reveal());
  return (owner) => {
    const issue = issueFor(owner);
    return issue && `the temporary password (KEDJA_IMPORT_PASSWORD) ${issue}`;
  };
}

/** @throws ServiceError `conflict` when there is no temporary password, or `owner` would guess it */
export async function createTemporaryPassword(
  deps: {
    readonly clock: Clock;
    readonly passwords: PasswordHasher;
    readonly importPassword: Secret | undefined;
  },
  owner?: PasswordOwner,
): Promise<Required<AccountPassword>> {
  const password = requireImportPassword(deps.importPassword);
  const issue = owner && checkTemporaryPassword(password)(owner);
  if (issue !== undefined) throw conflict(`T${issue.slice(1)}`);
  const passwordHash = await deps.passwords.hash(password.reveal());
  return { passwordHash, expiresAt: new Date(deps.clock.now() + TEMPORARY_PASSWORD_MS) };
}
