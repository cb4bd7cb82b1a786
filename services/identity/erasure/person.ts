// Finds all that is one person's, for an erasure (docs/adr/0131). These are accounts, and Patients at engine and
// dispatch, by an id of any of them or by personnummer. SQL, and the sealed numbers opened.
import type { Queryable } from '#lib/db/database.ts';
import { isGuid } from '#lib/guid.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import { personnummerCipher } from '../shared/ciphers.ts';
import { COUNTS_THERE } from '../shared/linked-records.ts';
import { numberIndex, readGenerations } from '../shared/number-index.ts';

export interface Account {
  readonly userGuid: string;
  readonly patientGuid: string;
}

export interface PersonFound {
  /** More than one where accounts were merged. */
  readonly accounts: readonly Account[];
  /** Ids of Patients by service. */
  readonly records: Readonly<Record<'engine' | 'dispatch', readonly string[]>>;
  /** Their personnummer, as 12 digits. */
  readonly numbers: readonly string[];
}

interface RecordRow {
  readonly service: 'engine' | 'dispatch';
  readonly record_id: string;
}

/** A Patient's id, an account's guid, or a personnummer of 12 digits. */
export interface PersonName {
  readonly id?: string | undefined;
  readonly number?: string | undefined;
}

/** @throws Error when the name leads to several people */
export async function findPerson(db: Queryable, keys: KeySet, name: PersonName): Promise<PersonFound> {
  const given = name.number === undefined ? [] : await indexesOf(db, keys, name.number);
  const first = await recordsNamed(db, name.id, given);
  const accounts = await accountsOf(db, name.id, { indexes: given, records: first });
  const people = new Set(accounts.map(({ owner }) => owner));
  if (people.size > 1) {
    const found = accounts.map(({ patientGuid }) => patientGuid).join(', ');
    throw new Error(`Several registered patients are meant: ${found}. Name one of them`);
  }
  const patientGuids = accounts.map(({ patientGuid }) => patientGuid);
  const linked = await recordsOfAccounts(db, patientGuids);
  // Without an account, the records of one number are one person's.
  const unregistered = accounts.length === 0 ? await recordsWithNumbersOf(db, first) : [];
  const all = [...first, ...linked, ...unregistered, ...patientGuids.flatMap(bothServices)];
  const records = await withoutUndone(db, [...all, ...(await atOtherService(db, all))], patientGuids);
  return {
    accounts: accounts.map(({ userGuid, patientGuid }) => ({ userGuid, patientGuid })),
    records: { engine: idsAt(records, 'engine'), dispatch: idsAt(records, 'dispatch') },
    numbers: await numbersOf(db, keys, { patientGuids, records, given: name.number }),
  };
}

/**
 * The ids that are the person's at the other service, too: what a provider or the person reports at the engine is about
 * the Patient of dispatch, which the engine need not have.
 */
async function atOtherService(db: Queryable, records: readonly RecordRow[]): Promise<RecordRow[]> {
  const { rows } = await db.query<RecordRow>(
    `SELECT o.service, here.record_id FROM unnest($1::text[], $2::text[]) AS g (service, record_id)
       JOIN patient_record here USING (service, record_id)
       JOIN (VALUES ('engine'), ('dispatch')) AS o (service) ON o.service <> here.service
       LEFT JOIN patient_record there ON there.service = o.service AND there.record_id = here.record_id
     WHERE ${COUNTS_THERE}`,
    [records.map(({ service }) => service), records.map(({ record_id: id }) => id)],
  );
  return rows;
}

/** A Patient of either service may have the guid of the account. */
function bothServices(id: string): RecordRow[] {
  return [
    { service: 'engine', record_id: id },
    { service: 'dispatch', record_id: id },
  ];
}

function idsAt(records: readonly RecordRow[], service: string): string[] {
  return [...new Set(records.filter((each) => each.service === service).map(({ record_id: id }) => id))];
}

async function indexesOf(db: Queryable, keys: KeySet, number: string): Promise<Buffer[]> {
  const { index, next } = numberIndex(personnummerCipher(keys), await readGenerations(db), number);
  return next === null ? [index] : [index, next];
}

async function recordsNamed(db: Queryable, id: string | undefined, indexes: readonly Buffer[]): Promise<RecordRow[]> {
  const { rows } = await db.query<RecordRow>(
    `SELECT service, record_id FROM patient_record WHERE record_id = $1
     UNION SELECT service, record_id FROM patient_record_number
       WHERE personnummer_index = ANY($2::bytea[]) OR personnummer_index_next = ANY($2::bytea[])`,
    [id ?? null, indexes],
  );
  return rows;
}

async function accountsOf(
  db: Queryable,
  id: string | undefined,
  { indexes, records }: { readonly indexes: readonly Buffer[]; readonly records: readonly RecordRow[] },
): Promise<(Account & { readonly owner: string })[]> {
  const { rows } = await db.query<{ user_guid: string; patient_guid: string; owner: string }>(
    `WITH named AS (
       SELECT p.user_guid FROM patient p WHERE p.patient_guid = $1 OR p.user_guid = $1
         OR p.personnummer_index = ANY($2::bytea[]) OR p.personnummer_index_next = ANY($2::bytea[])
       UNION SELECT p.user_guid FROM unnest($3::text[], $4::text[]) AS g (service, record_id)
         JOIN patient_link l USING (service, record_id) JOIN patient p USING (patient_guid) WHERE l.undone_at IS NULL
     ), owner AS (
       SELECT DISTINCT coalesce(u.merged_into, u.user_guid) AS user_guid FROM app_user u JOIN named USING (user_guid)
     )
     SELECT u.user_guid, p.patient_guid, o.user_guid AS owner FROM owner o
       JOIN app_user u ON u.user_guid = o.user_guid OR u.merged_into = o.user_guid JOIN patient p ON p.user_guid = u.user_guid
     ORDER BY 1`,
    [
      id !== undefined && isGuid(id) ? id : null,
      indexes,
      records.map(({ service }) => service),
      records.map(({ record_id: record }) => record),
    ],
  );
  return rows.map((row) => ({ userGuid: row.user_guid, patientGuid: row.patient_guid, owner: row.owner }));
}

const SAME_NUMBER =
  '(a.personnummer_index = b.personnummer_index OR a.personnummer_index_next = b.personnummer_index_next)';

async function recordsOfAccounts(db: Queryable, patientGuids: readonly string[]): Promise<RecordRow[]> {
  const { rows } = await db.query<RecordRow>(
    `SELECT service, record_id FROM patient_link WHERE patient_guid = ANY($1::uuid[]) AND undone_at IS NULL
     UNION SELECT b.service, b.record_id FROM patient a JOIN patient_record_number b ON ${SAME_NUMBER}
       WHERE a.patient_guid = ANY($1::uuid[])`,
    [patientGuids],
  );
  return rows;
}

async function recordsWithNumbersOf(db: Queryable, records: readonly RecordRow[]): Promise<RecordRow[]> {
  const { rows } = await db.query<RecordRow>(
    `SELECT DISTINCT b.service, b.record_id FROM unnest($1::text[], $2::text[]) AS g (service, record_id)
       JOIN patient_record_number a USING (service, record_id) JOIN patient_record_number b ON ${SAME_NUMBER}`,
    [records.map(({ service }) => service), records.map(({ record_id: id }) => id)],
  );
  return rows;
}

/** An administrator has said of some that they are not this person's. */
async function withoutUndone(
  db: Queryable,
  records: readonly RecordRow[],
  patientGuids: readonly string[],
): Promise<RecordRow[]> {
  const { rows } = await db.query<RecordRow>(
    'SELECT service, record_id FROM patient_link WHERE patient_guid = ANY($1::uuid[]) AND undone_at IS NOT NULL',
    [patientGuids],
  );
  const undone = new Set(rows.map(({ service, record_id: id }) => `${service} ${id}`));
  return records.filter(({ service, record_id: id }) => !undone.has(`${service} ${id}`));
}

async function numbersOf(
  db: Queryable,
  keys: KeySet,
  of: {
    readonly patientGuids: readonly string[];
    readonly records: readonly RecordRow[];
    readonly given: string | undefined;
  },
): Promise<string[]> {
  const { rows } = await db.query<{ key: string; sealed: Buffer }>(
    `SELECT patient_guid::text AS key, personnummer_sealed AS sealed FROM patient WHERE patient_guid = ANY($1::uuid[])
     UNION ALL SELECT n.number_guid::text, n.personnummer_sealed
       FROM unnest($2::text[], $3::text[]) AS g (service, record_id) JOIN patient_record_number n USING (service, record_id)`,
    [of.patientGuids, of.records.map(({ service }) => service), of.records.map(({ record_id: id }) => id)],
  );
  const cipher = personnummerCipher(keys);
  const opened = rows.map(({ key, sealed }) => cipher.open(sealed, key));
  return [...new Set([...opened, ...(of.given === undefined ? [] : [of.given])])].toSorted();
}
