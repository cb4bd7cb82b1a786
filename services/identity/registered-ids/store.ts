// Which guids are a patient's, a professional's, an organisation's or a group's: SQL only.
import type { RegisteredId } from '#lib/auth/registered-ids.ts';
import type { Queryable } from '#lib/db/database.ts';
import { hiddenFrom } from '../shared/protected-patients.ts';

interface Row {
  guid: string;
  type: RegisteredId['type'];
  organisations: string[];
}

const FIND = {
  name: 'registered-ids',
  text: `SELECT t.patient_guid AS guid, 'Patient' AS type,
      CASE WHEN $2::boolean AND ${hiddenFrom('t', "'{}'")} THEN ARRAY[]::uuid[] ELSE ARRAY[t.organisation_guid] END AS organisations
      FROM patient t WHERE t.patient_guid = ANY($1::uuid[])
    UNION ALL SELECT p.professional_guid, 'Practitioner',
      ARRAY(SELECT o.organisation_guid FROM professional_organisation o WHERE o.user_guid = p.user_guid)
      FROM professional p WHERE p.professional_guid = ANY($1::uuid[])
    UNION ALL SELECT organisation_guid, 'Organization', ARRAY[organisation_guid]
      FROM organisation WHERE organisation_guid = ANY($1::uuid[])
    UNION ALL SELECT group_guid, 'Group', ARRAY[]::uuid[] FROM care_group WHERE group_guid = ANY($1::uuid[])`,
};

/** `hidesProtected`: without the organisations of patients whose identity is protected (docs/adr/0090). */
export async function findRegisteredIds(
  db: Queryable,
  guids: readonly string[],
  hidesProtected: boolean,
): Promise<RegisteredId[]> {
  const { rows } = await db.query<Row>(FIND, [guids, hidesProtected]);
  return rows.map(({ guid, type, organisations }) => ({ guid, type, organisationGuids: organisations }));
}
