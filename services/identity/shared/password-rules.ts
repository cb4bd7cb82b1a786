// The password rules of identity's users (decision I2). They forbid words that others know of the owner. They set a
// minimum length for professionals without a second factor.

import type { PasswordOwner } from '#lib/passwords/personal.ts';
import { isLongEnough, PASSWORD_MIN_LENGTH, type PasswordRules } from '#lib/passwords/policy.ts';

/** The facts of an account that the rules use. */
export interface PasswordHolder {
  readonly userType: 'professional' | 'patient';
  readonly hasSecondFactor: boolean;
  readonly owner: PasswordOwner;
}

export type PasswordRulesOf = (holder: PasswordHolder) => Required<PasswordRules>;

/** `staffLength`: in characters; `siteUrl`: the public URL of the service. */
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

/** Whether a right password is too short to continue with. */
export type NeedsLongerPassword = (holder: Omit<PasswordHolder, 'owner'>, password: string) => boolean;

/** `renews`: whether the minimum length applies to passwords that are older than the rule. */
export function createPasswordLengthCheck(passwordRules: PasswordRulesOf, renews = false): NeedsLongerPassword {
  return (holder, password) => renews && !isLongEnough(password, passwordRules({ ...holder, owner: {} }));
}
