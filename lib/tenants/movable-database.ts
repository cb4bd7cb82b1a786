// The database of a tenant that may move to another server while it is in use (docs/operations/tenants.md). A move sets
// the tables aside where they were, in the transaction that holds back all writes. So a statement that waited for it,
// or comes later, finds no tables, and nothing of its transaction has happened: it is repeated where the tenant is now.
import type { Database } from '../db/database.ts';
import { isGone } from '../db/failure.ts';

/** @param next opens the database at the tenant's new address; undefined where it has not moved */
export function createMovableDatabase(first: Database, next: () => Promise<Database | undefined>): Database {
  const opened = [first];
  let current = first;
  let following: Promise<void> | undefined;

  async function follow(): Promise<void> {
    const moved = await next();
    if (moved === undefined) return;
    opened.push(moved);
    current = moved;
  }

  async function whereItIs<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const used = current;
    try {
      return await work(used);
    } catch (error) {
      if (!isGone(error)) throw error;
      if (current === used) {
        following ??= follow().finally(() => {
          following = undefined;
        });
        await following;
      }
      if (current === used) throw error;
      return work(current);
    }
  }

  return {
    schema: first.schema,
    query: (statement, values) => whereItIs((database) => database.query(statement, values)),
    transaction: (work, options) => whereItIs((database) => database.transaction(work, options)),
    listen: (channel, onNotification) => current.listen(channel, onNotification),
    close: async () => {
      await Promise.all(opened.map((database) => database.close()));
    },
  };
}
