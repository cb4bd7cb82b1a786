// The public catalogue of groups, group leaders and phases (decisions I5, I11 and I12).
import type { Database, Queryable } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { ListRange } from '../list-page.ts';
import * as store from './store.ts';

export interface GroupCatalogue {
  catalogue(range: ListRange): Promise<store.Group[]>;
  countAll(): Promise<number>;
  leaders(range: ListRange): Promise<store.Leader[]>;
  countLeaders(): Promise<number>;
  /** Searches by a part of the name; `total` counts beyond `limit`. */
  searchLeaders(text: string, limit: number): Promise<{ found: store.Leader[]; total: number }>;
  findLeader(userGuid: string): Promise<store.Leader | null>;
  isLeader(db: Queryable, userGuid: string): Promise<boolean>;
  /** The names of all phases. */
  phases(): Promise<string[]>;
  /** Those of the names that are not a phase. */
  unknownPhases(db: Queryable, names: readonly string[]): Promise<string[]>;
  /** Within a transaction, an existing group cannot be deleted until it ends. */
  exists(db: Queryable, groupGuid: string): Promise<boolean>;
  /** As `exists`. @throws ServiceError `not_found` */
  require(db: Queryable, groupGuid: string): Promise<void>;
}

export function createGroupCatalogue(database: Database): GroupCatalogue {
  const exists = async (db: Queryable, groupGuid: string) =>
    isGuid(groupGuid) && (await store.groupExists(db, groupGuid));
  return {
    catalogue: (range) => store.listGroups(database, range),
    countAll: () => store.countGroups(database),
    leaders: (range) => store.listLeaders(database, range),
    countLeaders: () => store.countLeaders(database),
    searchLeaders: (text, limit) => store.searchLeaders(database, text, limit),
    findLeader: async (userGuid) => (isGuid(userGuid) ? store.readLeader(database, userGuid) : null),
    phases: () => store.listPhases(database),
    isLeader: async (db, userGuid) => isGuid(userGuid) && store.isLeader(db, userGuid),
    async unknownPhases(db, names) {
      const known = new Set((await store.findPhases(db, names)).map((group) => group.name));
      return names.filter((name) => !known.has(name));
    },
    exists,
    async require(db, groupGuid) {
      if (!(await exists(db, groupGuid))) throw notFound('Group');
    },
  };
}
