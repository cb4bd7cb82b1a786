// Which guids are a patient's, a professional's, an organisation's or a group's: SQL only.
import type { RegisteredId } from '#lib/auth/registered-ids.ts';
import type { Queryable } from '#lib/db/database.ts';

interface Row {
  guid: string;
  type: RegisteredId['type'];
  organisations: string[];
}

const FIND = {
  name: 'registered-ids',
  text: `SELECT patient_guid AS guid, 'Patient' AS type, ARRAY[organisation_guid] AS organisations
      FROM patient WHERE patient_guid = ANY($1::uuid[])
    UNION ALL SELECT p.professional_guid, 'Practitioner',
      ARRAY(SELECT o.organisation_guid FROM professional_organisation o WHERE o.user_guid = p.user_guid)
      FROM professional p WHERE p.professional_guid = ANY($1::uuid[])
    UNION ALL SELECT organisation_guid, 'Organization', ARRAY[organisation_guid]
      FROM organisation WHERE organisation_guid = ANY($1::uuid[])
    UNION ALL SELECT group_guid, 'Group', ARRAY[]::uuid[] FROM care_group WHERE group_guid = ANY($1::uuid[])`,
};

export async function findRegisteredIds(db: Queryable, guids: readonly string[]): Promise<RegisteredId[]> {
  const { rows } = await db.query<Row>(FIND, [guids]);
  return rows.map(({ guid, type, organisations }) => ({ guid, type, organisationGuids: organisations }));
}
