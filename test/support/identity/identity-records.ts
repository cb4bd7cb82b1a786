// Inserts records of identity directly into its tables, for tests that need many.
import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { nextEmail } from './identity-people.ts';

export function createIdentityRecords(database: Database) {
  const professional = async () => {
    const guid = newGuid();
    const email = nextEmail();
    await database.query(
      `INSERT INTO app_user (user_guid, user_type, email, email_key, password_hash, first_name, last_name, created_at)
       VALUES ($1, 'professional', $2, $2, 'none', 'Berit', 'Ek', now())`,
      [guid, email],
    );
    await database.query(
      `INSERT INTO professional (user_guid, professional_guid, professional_role) VALUES ($1, $2, 'nurse')`,
      [guid, newGuid()],
    );
    return guid;
  };

  const group = async () => {
    const guid = newGuid();
    await database.query(
      `INSERT INTO care_group (group_guid, name, group_type, created_at) VALUES ($1, $1::uuid::text, 'team', now())`,
      [guid],
    );
    return guid;
  };

  const organisation = async () => {
    const guid = newGuid();
    await database.query(
      'INSERT INTO organisation (organisation_guid, name, created_at) VALUES ($1, $1::uuid::text, now())',
      [guid],
    );
    return guid;
  };

  return {
    professional,
    group,
    organisation,
    /** The `professional_guid` of a user. */
    async practitionerOf(user: string): Promise<string> {
      const text = 'SELECT professional_guid FROM professional WHERE user_guid = $1';
      return (await database.query<{ professional_guid: string }>(text, [user])).rows[0]?.professional_guid ?? '';
    },
    /** Pending, and of a professional of its own, unless said. */
    async membership(of: { group: string; user?: string; status?: 'pending' | 'approved'; isAdmin?: boolean }) {
      const guid = newGuid();
      await database.query(
        `INSERT INTO membership (membership_guid, user_guid, group_guid, status, is_admin, created_at)
         VALUES ($1, $2, $3, $4, $5, now())`,
        [guid, of.user ?? (await professional()), of.group, of.status ?? 'pending', of.isAdmin ?? false],
      );
      return guid;
    },
    /** The token of an invite to a group of its own. */
    async invite() {
      const token = randomBytes(32).toString('base64url');
      await database.query(
        `INSERT INTO group_invite (invite_guid, group_guid, token_hash, created_at, expires_at)
         VALUES ($1, $2, $3, now(), now() + interval '1 hour')`,
        [newGuid(), await group(), createHash('sha256').update(token).digest()],
      );
      return token;
    },
    async proposal() {
      const guid = newGuid();
      await database.query(
        `INSERT INTO group_proposal (proposal_guid, user_guid, name, group_type, status, created_at)
         VALUES ($1, $2, $1::uuid::text, 'team', 'pending', now())`,
        [guid, await professional()],
      );
      return guid;
    },
    async leaderRequest(groupGuid: string) {
      const guid = newGuid();
      await database.query(
        `INSERT INTO leader_request (leader_request_guid, user_guid, group_guid, status, created_at)
         VALUES ($1, $2, $3, 'pending', now())`,
        [guid, await professional(), groupGuid],
      );
      return guid;
    },
    async accessRequest() {
      const [guid, email] = [newGuid(), nextEmail()];
      await database.query(
        `INSERT INTO access_request (access_request_guid, email, email_key, password_hash, first_name, last_name,
           professional_role, organisation_guid, requested_phases, status, created_at)
         VALUES ($1, $2, $2, 'none', 'Cecilia', 'Dahl', 'doctor', $3, '{planning}', 'pending', now())`,
        [guid, email, await organisation()],
      );
      return guid;
    },
  };
}
