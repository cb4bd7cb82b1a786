// Failed sign-ins per account and one-time codes: SQL only.
import { auditParts } from '#lib/audit/audit.ts';
import type { Queryable } from '#lib/db/database.ts';
import type { SignInPlace } from '../actor.ts';
import {
  CREDENTIALS,
  type Credentials,
  type CredentialsRow,
  type PasswordProof,
  passwordValues,
  RECORD_PASSWORD,
  toCredentials,
} from '../shared/credentials.ts';
import { type IssuedToken, issuePart, issueValues, signerPart } from '../shared/issued-token.ts';

/**
 * The user with this address, and until when the account is locked, whether it exists or not. While it is locked no
 * user is read, so that the time of a refusal does not tell whether there is one.
 */
export async function findAccount(
  db: Queryable,
  key: { account: Buffer; emailKey: string; now: Date },
): Promise<{ lockedUntil: Date | null; credentials: Credentials | null }> {
  const statement = {
    name: 'identity-find-account',
    text: `SELECT ${CREDENTIALS}, locked_until FROM (VALUES (1)) AS always
      LEFT JOIN login_failure ON account = $1
      LEFT JOIN app_user ON email_key = $2 AND (locked_until IS NULL OR locked_until <= $3::timestamptz)`,
  };
  const [row] = (await db.query<FoundRow>(statement, [key.account, key.emailKey, key.now])).rows;
  if (row === undefined) throw new Error('The query of an account returned no row');
  const { locked_until: lockedUntil, user_guid: userGuid } = row;
  return { lockedUntil, credentials: userGuid === null ? null : toCredentials({ ...row, user_guid: userGuid }) };
}

interface FoundRow extends Omit<CredentialsRow, 'user_guid'> {
  user_guid: string | null;
  locked_until: Date | null;
}

/**
 * A sign-in in one statement, which is its own transaction. If the account is not locked, it records the password,
 * clears the failures, and stores the token and the audit event; otherwise it changes nothing. Rows are locked in the
 * order of every sign-in: first the failures, read after waiting for other holders, then the user. $5 is the present
 * time.
 */
const SIGN_IN = {
  name: 'identity-sign-in',
  text: `WITH failures AS (SELECT locked_until FROM login_failure WHERE account = $6 FOR UPDATE),
    ${signerPart(11)},
    proven AS (${RECORD_PASSWORD} AND NOT EXISTS (SELECT FROM failures WHERE locked_until > $5) AND EXISTS (SELECT FROM signer)
      RETURNING user_guid),
    cleared AS (DELETE FROM login_failure WHERE account = $6 AND EXISTS (SELECT FROM proven)),
    ${issuePart(7, 'EXISTS (SELECT FROM proven)')},
    ${auditParts(15, 'EXISTS (SELECT FROM proven)')}
    SELECT (SELECT locked_until FROM failures) AS locked_until, EXISTS (SELECT FROM signer) AS has_key,
      EXISTS (SELECT FROM proven) AS is_proven`,
};

export interface SignInRecord {
  readonly account: Buffer;
  readonly proof: PasswordProof & { readonly at: Date };
  readonly issued: IssuedToken;
  /** The values of `auditParts`. */
  readonly audited: readonly unknown[];
}

interface SignInRow {
  /** The end of the lock of these failures, if there are any. */
  locked_until: Date | null;
  has_key: boolean;
  is_proven: boolean;
}

/** Nothing has changed unless `is_proven`. */
export async function recordSignIn(db: Queryable, record: SignInRecord): Promise<SignInRow> {
  const { account, proof, issued, audited } = record;
  const values = [...passwordValues(proof), account, ...issueValues(issued), ...audited];
  const [row] = (await db.query<SignInRow>(SIGN_IN, values)).rows;
  if (row === undefined) throw new Error('The statement of a sign-in returned no row');
  return row;
}

/** Until when the account is locked; null when no lock is stored. */
export async function readLock(db: Queryable, account: Buffer): Promise<Date | null> {
  const statement = { name: 'identity-login-lock', text: 'SELECT locked_until FROM login_failure WHERE account = $1' };
  return (await db.query<{ locked_until: Date | null }>(statement, [account])).rows[0]?.locked_until ?? null;
}

/** Clears the failures; returns until when the account was locked. */
export async function clearFailures(db: Queryable, account: Buffer): Promise<Date | null> {
  const statement = {
    name: 'identity-login-clear',
    text: 'DELETE FROM login_failure WHERE account = $1 RETURNING locked_until',
  };
  return (await db.query<{ locked_until: Date | null }>(statement, [account])).rows[0]?.locked_until ?? null;
}

/** What a code is bound to: the redirect address, the code challenge, and the tenant by its name. */
interface CodeBinding {
  readonly next: string;
  readonly codeChallenge: string | undefined;
  readonly tenant: string;
}

/**
 * A code of a sign-in for a client belongs to that client alone: the row names the client, and the hash covers both.
 */
interface NewCode extends CodeBinding {
  readonly hash: Buffer;
  readonly userGuid: string;
  readonly clientId: string | undefined;
  /** The browser session that it belongs to, and ends with. */
  readonly sessionGuid: string | undefined;
  readonly expiresAt: Date;
  readonly from: SignInPlace;
}

export async function insertCode(db: Queryable, code: NewCode): Promise<void> {
  await db.query(
    `INSERT INTO sign_in_code (code_hash, user_guid, next, expires_at, address, user_agent, code_challenge, client_id,
       session_guid, tenant)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      code.hash,
      code.userGuid,
      code.next,
      code.expiresAt,
      code.from.address,
      code.from.userAgent,
      code.codeChallenge ?? null,
      code.clientId ?? null,
      code.sessionGuid ?? null,
      code.tenant,
    ],
  );
}

interface TakenCode extends Omit<CodeBinding, 'tenant'> {
  /** Undefined for a code of before. */
  readonly tenant: string | undefined;
  readonly userGuid: string;
  readonly expiresAt: Date;
  readonly from: SignInPlace;
}

/** Deletes and returns the code of this client, or of no client. When several requests present a code, one gets it. */
export async function takeCode(
  db: Queryable,
  { hash, clientId }: Pick<NewCode, 'hash' | 'clientId'>,
): Promise<TakenCode | null> {
  const { rows } = await db.query<{
    user_guid: string;
    next: string;
    expires_at: Date;
    address: string | null;
    user_agent: string | null;
    code_challenge: string | null;
    tenant: string | null;
  }>(
    `DELETE FROM sign_in_code WHERE code_hash = $1 AND client_id IS NOT DISTINCT FROM $2::text
     RETURNING user_guid, next, expires_at, address, user_agent, code_challenge, tenant`,
    [hash, clientId ?? null],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const from = { address: row.address, userAgent: row.user_agent };
  const codeChallenge = row.code_challenge ?? undefined;
  const tenant = row.tenant ?? undefined;
  return { userGuid: row.user_guid, next: row.next, codeChallenge, tenant, expiresAt: row.expires_at, from };
}

export async function deleteCodesOf(db: Queryable, userGuid: string): Promise<void> {
  await db.query('DELETE FROM sign_in_code WHERE user_guid = $1', [userGuid]);
}

export async function sweep(db: Queryable, bounds: { now: Date; failedBefore: Date }): Promise<void> {
  await db.query('DELETE FROM sign_in_code WHERE expires_at <= $1', [bounds.now]);
  await db.query(
    'DELETE FROM login_failure WHERE last_failed_at <= $1 AND (locked_until IS NULL OR locked_until <= $1)',
    [bounds.failedBefore],
  );
}
