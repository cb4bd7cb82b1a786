// Generates the users of the benchmark of identity in SQL. Each row is numbered, and all of its values follow from the
// number, so that every run has the same.
import { hash } from '@node-rs/argon2';
import { ARGON2_PARAMETERS } from '#lib/auth/password-hasher.ts';
import type { Database } from '#lib/db/database.ts';

export const PASSWORD = 'ett-langt-losenord-3';
const ORGANISATIONS = 1_000;
export const GROUPS = 1_000;
/** Every fifth user is a patient. */
const PATIENT_EVERY = 5;
const PIECE = 20_000;

const guid = (kind: number, number: string) =>
  `('01900000-0000-7${String(kind).padStart(3, '0')}-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
const userGuid = (number: string) => guid(3, number);
const isPatient = (number: string) => `(${number} % ${PATIENT_EVERY} = 0)`;

/** The address of the user of that number. */
export const emailOf = (number: number) => `user-${number}@example.org`;
export const isPatientNumber = (number: number) => number % PATIENT_EVERY === 0;

/** Organisations and groups; each group's first member, its only admin, comes with `addUsers`. */
export async function makeCatalogues(database: Database): Promise<void> {
  await database.query(
    `INSERT INTO organisation (organisation_guid, name, created_at)
     SELECT ${guid(1, 'n')}, 'Vårdcentralen ' || n, now() FROM generate_series(1, ${ORGANISATIONS}) AS n`,
  );
  await database.query(
    `INSERT INTO care_group (group_guid, name, group_type, created_at)
     SELECT ${guid(2, 'n')}, 'Team ' || n, 'team', now() FROM generate_series(1, ${GROUPS}) AS n`,
  );
}

/** Users of these numbers, professionals with an organisation each and patients. */
export async function addUsers(
  database: Database,
  range: { from: number; to: number; onProgress: (done: number) => void },
): Promise<void> {
  const passwordHash = await hash(PASSWORD, ARGON2_PARAMETERS);
  for (let from = range.from; from <= range.to; from += PIECE) {
    const to = Math.min(from + PIECE - 1, range.to);
    const numbers = `generate_series(${from}, ${to}) AS n`;
    await database.transaction(async (tx) => {
      await tx.query(
        `INSERT INTO app_user (user_guid, user_type, email, email_key, password_hash, first_name, last_name, created_at)
         SELECT ${userGuid('n')}, CASE WHEN ${isPatient('n')} THEN 'patient' ELSE 'professional' END,
           'user-' || n || '@example.org', 'user-' || n || '@example.org', $1, 'Förnamn ' || n, 'Efternamn ' || n, now()
         FROM ${numbers}`,
        [passwordHash],
      );
      await tx.query(
        `INSERT INTO professional (user_guid, professional_guid, professional_role)
         SELECT ${userGuid('n')}, ${guid(4, 'n')}, (ARRAY['doctor', 'nurse', 'other'])[1 + n % 3]
         FROM ${numbers} WHERE NOT ${isPatient('n')}`,
      );
      await tx.query(
        `INSERT INTO professional_organisation (user_guid, organisation_guid)
         SELECT ${userGuid('n')}, ${guid(1, `1 + n % ${ORGANISATIONS}`)} FROM ${numbers} WHERE NOT ${isPatient('n')}`,
      );
      await tx.query(
        `INSERT INTO patient (user_guid, patient_guid, organisation_guid, personnummer_sealed, personnummer_index, registries)
         SELECT ${userGuid('n')}, ${guid(5, 'n')}, ${guid(1, `1 + n % ${ORGANISATIONS}`)}, sha256(n::text::bytea),
           sha256(n::text::bytea), CASE WHEN n % 2 = 0 THEN ARRAY['Hjärtregistret'] ELSE '{}'::text[] END
         FROM ${numbers} WHERE ${isPatient('n')}`,
      );
    });
    range.onProgress(to);
  }
}

/**
 * `perUser` approved memberships for each professional of these numbers; `asAdmin`: the first of them administers its
 * group.
 */
export async function addMemberships(
  database: Database,
  range: { from: number; to: number; perUser: number; asAdmin: boolean },
): Promise<void> {
  const { from, to, perUser, asAdmin } = range;
  await database.query(
    `INSERT INTO membership (membership_guid, user_guid, group_guid, status, is_admin, created_at, decided_at)
     SELECT ${guid(6, 'n * 16 + k')}, ${userGuid('n')}, ${guid(2, `1 + (n + k * 331) % ${GROUPS}`)}, 'approved',
       ${asAdmin} AND k = 0, now(), now()
     FROM generate_series(${from}, ${to}) AS n, generate_series(0, ${perUser - 1}) AS k WHERE NOT ${isPatient('n')}`,
  );
}

/** What autovacuum would do within a minute. */
export async function settle(database: Database): Promise<void> {
  await database.query('VACUUM ANALYZE');
}
