// What users and organisations were called and since when, and which records are of one person: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { LINKED_RECORDS, type LinkedRecordRow } from '../shared/linked-records.ts';
import { shownTo } from '../shared/protected-patients.ts';

export interface KnownNameRow {
  /** As it was asked for: of a user also the guid of the Practitioner or Patient. */
  asked: string;
  valid_from: Date;
  name: string | null;
  role: string | null;
  /** Of somebody's proxy who had no name: the e-mail address, by which the patient knows them. */
  proxy_name: string | null;
}

const NAMES = {
  name: 'known-names',
  text: `SELECT g.asked, n.valid_from, n.name, n.role, CASE WHEN n.name IS NULL THEN (
        SELECT u.email FROM app_user u JOIN patient t USING (user_guid)
        WHERE u.user_guid = n.guid AND EXISTS (SELECT FROM patient_proxy x WHERE x.delegate_guid = t.patient_guid)
      ) END AS proxy_name
    FROM unnest($1::uuid[]) AS g (asked)
    JOIN LATERAL (
      SELECT guid, valid_from, name, role FROM known_name WHERE guid = g.asked
      UNION ALL SELECT guid, valid_from, name, role FROM known_name WHERE person_guid = g.asked
    ) n ON true ORDER BY g.asked, n.valid_from`,
};

/** The names of each in the order of time. Of what was never known there is no row. */
export async function findNames(db: Queryable, guids: readonly string[]): Promise<KnownNameRow[]> {
  return (await db.query<KnownNameRow>(NAMES, [guids])).rows;
}

export interface PersonRow {
  patient_guid: string;
  linked: LinkedRecordRow[] | null;
  shown_to: string[][] | null;
}

const PERSONS = {
  name: 'persons-of-record',
  text: `SELECT t.patient_guid, ${LINKED_RECORDS} AS linked, ${shownTo('t')} AS shown_to FROM patient t
    WHERE t.user_guid IN (
      SELECT coalesce(u.merged_into, u.user_guid) FROM patient p JOIN app_user u USING (user_guid)
      WHERE p.patient_guid = $1::uuid
        OR p.patient_guid IN (SELECT l.patient_guid FROM patient_link l WHERE l.record_id = $2 AND l.undone_at IS NULL))
    ORDER BY t.patient_guid = $1::uuid DESC NULLS LAST LIMIT 2`,
};

/** The registered patients to whom the id belongs; the first is the one who has it as their guid. */
export async function findPersons(db: Queryable, recordId: string, guid: string | null): Promise<PersonRow[]> {
  return (await db.query<PersonRow>(PERSONS, [guid, recordId])).rows;
}
