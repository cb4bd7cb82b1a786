// SQL of a user's credentials: pieces of statements, so that a sign-in can do more in one statement (decision I2).

/** The columns of an account that a sign-in needs. */
export interface Credentials {
  readonly userGuid: string;
  readonly email: string;
  readonly userType: 'professional' | 'patient';
  readonly passwordHash: string;
  readonly mustChangePassword: boolean;
  readonly passwordExpiresAt: Date | null;
  readonly hasSecondFactor: boolean;
  readonly isBlocked: boolean;
  /** Whether an administrator has merged it into another account (docs/adr/0076). */
  readonly isMerged: boolean;
}

/** Why a password must be changed first: somebody else chose it, or it is shorter than the present minimum. */
export const PASSWORD_CHANGE_REASONS = ['temporary', 'too_short'] as const;
export type PasswordChangeReason = (typeof PASSWORD_CHANGE_REASONS)[number];

/**
 * Only temporary passwords have an expiry. The minimum length applies only to professionals without a second factor.
 */
export function changeReasonOf(account: Credentials): PasswordChangeReason {
  const { passwordExpiresAt, userType, hasSecondFactor } = account;
  const isOwn = passwordExpiresAt === null && userType === 'professional' && !hasSecondFactor;
  return isOwn ? 'too_short' : 'temporary';
}

/** The credentials that a sign-in verified. */
export interface PasswordProof {
  readonly userGuid: string;
  readonly verifiedHash: string;
  readonly newHash: string;
  readonly hasSecondFactor: boolean;
}

export interface CredentialsRow {
  user_guid: string;
  email: string;
  user_type: 'professional' | 'patient';
  password_hash: string;
  must_change_password: boolean;
  password_expires_at: Date | null;
  has_second_factor: boolean;
  is_blocked: boolean;
  is_merged: boolean;
}

/** The columns of `CredentialsRow`. */
export const CREDENTIALS = `user_guid, email, user_type, password_hash, must_change_password, password_expires_at,
  second_factor_sealed IS NOT NULL AS has_second_factor, blocked_at IS NOT NULL AS is_blocked, merged_into IS NOT NULL AS is_merged`;

/** Converts a row to the domain type. */
export function toCredentials(row: CredentialsRow): Credentials {
  return {
    userGuid: row.user_guid,
    email: row.email,
    userType: row.user_type,
    passwordHash: row.password_hash,
    mustChangePassword: row.must_change_password,
    passwordExpiresAt: row.password_expires_at,
    hasSecondFactor: row.has_second_factor,
    isBlocked: row.is_blocked,
    isMerged: row.is_merged,
  };
}

/** The values of `RECORD_PASSWORD`. */
export function passwordValues(proof: PasswordProof & { at: Date }): readonly unknown[] {
  return [proof.userGuid, proof.verifiedHash, proof.newHash, proof.hasSecondFactor, proof.at];
}

/**
 * Renews the hash if the password is still the verified one and the account is not blocked. The second factor must have
 * been neither added nor removed. Without a second factor this signs the user in. Parameters are $1 to $5; a statement
 * that does more may extend the condition.
 */
export const RECORD_PASSWORD = `UPDATE app_user SET password_hash = $3, last_login_at = CASE WHEN $4 THEN last_login_at ELSE $5 END
  WHERE user_guid = $1 AND password_hash = $2 AND (second_factor_sealed IS NOT NULL) = $4 AND blocked_at IS NULL`;
