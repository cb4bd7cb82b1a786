// What the passwords of identity's users are held to (decision I2): what others may know of their owner, and the length
// that is asked of professionals who have no second factor.

import type { PasswordOwner } from '#lib/passwords/personal.ts';
import { isLongEnough, PASSWORD_MIN_LENGTH, type PasswordRules } from '#lib/passwords/policy.ts';

/** An account as the rules see it. */
export interface PasswordHolder {
  readonly userType: 'professional' | 'patient';
  readonly hasSecondFactor: boolean;
  readonly owner: PasswordOwner;
}

export type PasswordRulesOf = (holder: PasswordHolder) => Required<PasswordRules>;

/** `staffLength`: in characters; `siteUrl`: where people reach the service. */
export function createPasswordRules({
  staffLength = PASSWORD_MIN_LENGTH,
  siteUrl,
}: {
  staffLength?: number | undefined;
  siteUrl: string;
}): PasswordRulesOf {
  return ({ userType, hasSecondFactor, owner }) => ({
    minLength: userType === 'professional' && !hasSecondFactor ? staffLength : PASSWORD_MIN_LENGTH,
    owner: { ...owner, siteUrl },
  });
}

/** Whether a password that was right is too short to go on with. */
export type IsOutgrown = (holder: Omit<PasswordHolder, 'owner'>, password: string) => boolean;

/** `renews`: whether passwords of before the rule are held to its length. */
export function createOutgrownCheck(passwordRules: PasswordRulesOf, renews = false): IsOutgrown {
  return (holder, password) => renews && !isLongEnough(password, passwordRules({ ...holder, owner: {} }));
}
