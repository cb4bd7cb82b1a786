// The database of a tenant that may move to another server while it is in use (docs/operations/tenants.md). A move sets
// the tables aside where they were, in the transaction that holds back all writes. So a statement that waited for it,
// or comes later, finds no tables, and nothing of its transaction has happened: it is repeated where the tenant is now.
import type { DatabaseAddress } from '../db/connection.ts';
import type { Database } from '../db/database.ts';
import { isGone } from '../db/failure.ts';

export interface MovableDatabase extends Database {
  /** Statements that begin from now on go to this address. */
  moveTo(address: DatabaseAddress): void;
}

export interface MovableDatabaseOptions {
  readonly address: DatabaseAddress;
  readonly open: (address: DatabaseAddress) => Database;
  /** Where the tenant is now, whose tables are not at `from`; undefined when nobody knows. */
  readonly find: (from: DatabaseAddress) => Promise<DatabaseAddress | undefined>;
}

export function createMovableDatabase({ address, open, find }: MovableDatabaseOptions): MovableDatabase {
  let current = { address, database: open(address) };
  const { database: first } = current;
  const opened = [first];
  let following: Promise<void> | undefined;

  function moveTo(to: DatabaseAddress): void {
    const { address: from } = current;
    if (from.url === to.url && from.directUrl === to.directUrl) return;
    current = { address: to, database: open(to) };
    opened.push(current.database);
  }

  async function follow(): Promise<void> {
    const found = await find(current.address);
    if (found !== undefined) moveTo(found);
  }

  async function whereItIs<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const used = current;
    try {
      return await work(used.database);
    } catch (error) {
      if (!isGone(error)) throw error;
      if (current === used) {
        following ??= follow().finally(() => {
          following = undefined;
        });
        await following;
      }
      if (current === used) throw error;
      return work(current.database);
    }
  }

  return {
    schema: first.schema,
    query: (statement, values) => whereItIs((database) => database.query(statement, values)),
    transaction: (work, options) => whereItIs((database) => database.transaction(work, options)),
    listen: (channel, onNotification) => current.database.listen(channel, onNotification),
    moveTo,
    close: async () => {
      await Promise.all(opened.map((database) => database.close()));
    },
  };
}
