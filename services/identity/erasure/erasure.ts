// What identity has of a person (docs/adr/0131). It is accounts with all that belongs to them, names for the access
// log, links to records, proxies, and mails that wait.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { countRows, deleteRows, type RowCounts, type RowKeys, type RowsOf } from '#lib/erasure/rows.ts';
import { mailSealer } from '#lib/mail/message.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import type { Revocations } from '../revocations/service.ts';

export interface IdentityKeys extends RowKeys {
  readonly users: readonly string[];
  readonly patients: readonly string[];
  /** Ids of Patients at engine and dispatch. */
  readonly engine: readonly string[];
  readonly dispatch: readonly string[];
}

const RECORDS =
  "(service = 'engine' AND record_id = ANY(:engine) OR service = 'dispatch' AND record_id = ANY(:dispatch))";
const BY_USER = 'user_guid = ANY(:users::uuid[])';
const SESSIONS = `SELECT session_guid FROM browser_session WHERE ${BY_USER}`;

const ROWS: readonly RowsOf[] = [
  {
    table: 'password_reset_request',
    where: `email_key IN (SELECT email_key FROM app_user WHERE ${BY_USER})`,
  },
  { table: 'patient_link', where: `patient_guid = ANY(:patients::uuid[]) OR ${RECORDS}` },
  { table: 'patient_record_number', where: RECORDS },
  { table: 'patient_record', where: RECORDS },
  {
    table: 'patient_proxy',
    where: 'patient_guid = ANY(:patients::uuid[]) OR delegate_guid = ANY(:patients::uuid[])',
  },
  { table: 'patient_change', where: 'patient_guid = ANY(:patients::uuid[])' },
  { table: 'known_name', where: 'guid = ANY(:users::uuid[]) OR person_guid = ANY(:patients::uuid[])' },
  { table: 'browser_session_target', where: `session_guid IN (${SESSIONS})` },
  { table: 'sign_in_code', where: BY_USER },
  { table: 'sign_in_challenge', where: BY_USER },
  { table: 'issued_token', where: BY_USER },
  { table: 'browser_session', where: BY_USER },
  { table: 'password_reset', where: BY_USER },
  { table: 'email_change', where: BY_USER },
  { table: 'recovery_code', where: BY_USER },
  { table: 'second_factor_setup', where: BY_USER },
  { table: 'account_merge', where: `${BY_USER} OR into_guid = ANY(:users::uuid[])` },
  { table: 'tenant_member', where: BY_USER },
  { table: 'patient', where: BY_USER },
  { table: 'app_user', where: BY_USER },
];

export function countIdentityRows(db: Queryable, keys: IdentityKeys): Promise<RowCounts> {
  return countRows(db, ROWS, keys);
}

/** Ends the sessions of the accounts everywhere, and deletes what is theirs. */
export async function deleteIdentityRows(
  tx: Transaction,
  keys: IdentityKeys,
  { revocations, sealingKeys }: { readonly revocations: Revocations; readonly sealingKeys: KeySet },
): Promise<RowCounts> {
  const { rows } = await tx.query<{ user_guid: string; email: string | null }>(
    'SELECT user_guid, email FROM app_user WHERE user_guid = ANY($1::uuid[]) ORDER BY user_guid FOR UPDATE',
    [keys.users],
  );
  await tx.query('SELECT FROM browser_session WHERE user_guid = ANY($1::uuid[]) ORDER BY session_guid FOR UPDATE', [
    keys.users,
  ]);
  const mails = await deleteMails(tx, new Set(rows.flatMap(({ email }) => email?.toLowerCase() ?? [])), sealingKeys);
  for (const { user_guid: user } of rows) await revocations.revokeTokensOf(tx, user);
  const counts = await deleteRows(tx, ROWS, keys);
  await revocations.usersChanged(
    tx,
    rows.map(({ user_guid: user }) => user),
  );
  return mails === 0 ? counts : { ...counts, mail_outbox: mails };
}

/** Mails to these addresses that wait to be sent; how many. */
async function deleteMails(tx: Transaction, addresses: ReadonlySet<string>, keys: KeySet): Promise<number> {
  if (addresses.size === 0) return 0;
  const sealer = mailSealer(keys);
  const { rows } = await tx.query<{ guid: string; sealed: Buffer }>(
    'SELECT mail_guid AS guid, message_sealed AS sealed FROM mail_outbox WHERE message_sealed IS NOT NULL',
  );
  const theirs = rows.filter(({ guid, sealed }) => {
    const { to } = JSON.parse(sealer.open(sealed, guid)) as { readonly to: string };
    return addresses.has(to.toLowerCase());
  });
  await tx.query('DELETE FROM mail_outbox WHERE mail_guid = ANY($1::uuid[])', [theirs.map(({ guid }) => guid)]);
  return theirs.length;
}
