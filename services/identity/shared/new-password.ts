// Checks of every new password (decisions I2 and I13).
import { invalidRequest } from '#lib/errors.ts';
import { type PasswordRules, passwordFieldIssues } from '#lib/passwords/policy.ts';
import { normalisePassword } from '#lib/passwords/text.ts';
import { type Credentials, changeReasonOf } from './credentials.ts';
import messages from './new-password.messages.json' with { type: 'json' };

export interface PasswordChange {
  readonly current: string;
  readonly next: string;
}

const FIELD = 'new_password';

/** @throws ServiceError `invalid_request` (the contract's code here) naming what is wrong */
export function requireFit(password: string, rules: PasswordRules = {}): void {
  const issues = passwordFieldIssues(FIELD, password, rules);
  if (issues.length > 0) throw invalidRequest(issues);
}

/** @throws ServiceError `invalid_request` when a temporary password would stay */
export function requireOther(account: Credentials, { current, next }: PasswordChange): void {
  const isSame = normalisePassword(current) === normalisePassword(next);
  // A password that was too short before is still too short, so only temporary ones need this check.
  if (!account.mustChangePassword || changeReasonOf(account) !== 'temporary' || !isSame) return;
  throw invalidRequest([
    { field: FIELD, message: `'${FIELD}' must differ from the temporary one`, texts: messages.same },
  ]);
}
