// The list of all users for SU admins, read in chunks so that memory stays flat (contract: identity, Admin; decision
// I10).
import type { Audit } from '#lib/audit/audit.ts';
import type { Database } from '#lib/db/database.ts';
import type { Actor } from '../actor.ts';
import { readerNames } from '../shared/protected-patients.ts';
import * as store from './store.ts';

export type { ListedUser } from './store.ts';

const PIECE = 500;

export interface UserList {
  count(): Promise<number>;
  /** One page. The read is recorded in the audit log. */
  page(actor: Actor, range: { limit: number; offset: number }): Promise<store.ListedUser[]>;
  /** All users, in chunks; the read is recorded before the first. */
  all(actor: Actor): AsyncGenerator<store.ListedUser[]>;
}

export function createUserList({ database, audit }: { database: Database; audit: Audit }): UserList {
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
  };
}
