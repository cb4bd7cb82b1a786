// What every new password is held to (decisions I2 and I13).
import { normalisePassword, passwordFaults } from '#lib/config/password-policy.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Credentials } from '../shared/credentials.ts';

export interface PasswordChange {
  readonly current: string;
  readonly next: string;
}

/** @throws ServiceError `invalid_request` (the contract's code here) naming what is wrong */
export function requireFit(password: string): void {
  const faults = passwordFaults(password);
  if (faults.length > 0) throw unfit(faults.join(' and '));
}

/** @throws ServiceError `invalid_request` when a temporary password would stay */
export function requireOther({ mustChangePassword }: Credentials, { current, next }: PasswordChange): void {
  const isSame = normalisePassword(current) === normalisePassword(next);
  if (mustChangePassword && isSame) throw unfit('must differ from the temporary one');
}

function unfit(fault: string): ServiceError {
  const message = `'new_password' ${fault}`;
  return new ServiceError('invalid_request', message, { faults: [{ field: 'new_password', message }] });
}
