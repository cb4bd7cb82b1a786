// The list of all users for SU admins, read in chunks so that memory stays flat (contract: identity, Admin; decision
// I10).
import type { Audit } from '#lib/audit/audit.ts';
import type { Database } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import type { Session, Sessions } from '../sessions/service.ts';
import { readerNames } from '../shared/protected-patients.ts';
import * as store from './store.ts';

export type { ListedUser } from './store.ts';

export interface UserFilter {
  readonly search: string | undefined;
  readonly userType: 'professional' | 'patient' | undefined;
  readonly state: 'active' | 'blocked' | 'merged' | 'su_admin' | undefined;
  readonly organisation: string | undefined;
  readonly group: string | undefined;
}

const PIECE = 500;
const MOST_SESSIONS = 50;

export interface UserList {
  count(): Promise<number>;
  /** One page. The read is recorded in the audit log. */
  page(actor: Actor, range: { limit: number; offset: number }): Promise<store.ListedUser[]>;
  /** All users, in chunks; the read is recorded before the first. */
  all(actor: Actor): AsyncGenerator<store.ListedUser[]>;
  /** A page of those whom the filter finds, in the order of their names. The read is recorded. */
  search(
    actor: Actor,
    filter: UserFilter,
    range: { limit: number; offset: number },
  ): Promise<{ found: store.ListedUser[]; total: number }>;
  /** One user, and where the user is signed in. The read is recorded. @throws ServiceError `not_found` */
  read(actor: Actor, userGuid: string): Promise<{ user: store.UserDetails; sessions: readonly Session[] }>;
  /** What a deletion would touch. @throws ServiceError `not_found` */
  deletionOf(actor: Actor, userGuid: string): Promise<store.Deletion>;
}

export function createUserList(deps: {
  readonly database: Database;
  readonly audit: Audit;
  readonly sessions: Pick<Sessions, 'listOf' | 'countOf'>;
}): UserList {
  const { database, audit, sessions } = deps;
  const recordAccess = (actor: Actor) => audit.recordRead({ action: 'R', event: 'users.list', ...actor });
  return {
    count: () => store.countUsers(database),
    async page(actor, range) {
      await recordAccess(actor);
      return store.listUsers(database, range, readerNames(actor.principal));
    },
    async *all(actor) {
      await recordAccess(actor);
      let after: string | null = null;
      do {
        const piece: Awaited<ReturnType<typeof store.listUsersAfter>> = await store.listUsersAfter(
          database,
          { after, limit: PIECE },
          readerNames(actor.principal),
        );
        if (piece.users.length > 0) yield piece.users;
        after = piece.next;
      } while (after !== null);
    },
    async search(actor, { search, userType, state, organisation, group }, range) {
      await audit.recordRead({ action: 'R', event: 'users.search', ...actor });
      // A guid that is none is of nothing that there is.
      if ([organisation, group].some((guid) => guid !== undefined && !isGuid(guid))) return { found: [], total: 0 };
      const text = search?.trim() || null;
      const filter = {
        text,
        guid: text !== null && isGuid(text) ? text : null,
        userType: userType ?? null,
        state: state ?? null,
        organisation: organisation ?? null,
        group: group ?? null,
      };
      return store.searchUsers(database, filter, range, readerNames(actor.principal));
    },
    async read(actor, userGuid) {
      const user = isGuid(userGuid)
        ? await store.readUser(database, userGuid, readerNames(actor.principal))
        : undefined;
      if (user === undefined) throw notFound('User');
      const patient = user.patient_guid === null ? {} : { patientGuid: user.patient_guid };
      await audit.recordRead({ action: 'R', event: 'user.read', subjectGuid: userGuid, ...patient, ...actor });
      return { user, sessions: await sessions.listOf(actor, userGuid, MOST_SESSIONS) };
    },
    async deletionOf(actor, userGuid) {
      const touched = isGuid(userGuid) ? await store.readDeletion(database, userGuid) : undefined;
      if (touched === undefined) throw notFound('User');
      await audit.recordRead({ action: 'R', event: 'user.read', subjectGuid: userGuid, ...actor });
      return { ...touched, sessions: await sessions.countOf(userGuid) };
    },
  };
}
