// LISTEN for many schemas of one database over one connection: that of every tenant would be hundreds (docs/adr/0138).
import type { DatabaseAddress, DatabaseLog } from '../connection.ts';
import type { Queryable } from '../database.ts';
import { createListener, type Listener } from '../listener.ts';

export interface SharedListeners {
  /** The listener of one schema. Closing it ends its channels alone. @param pool as for {@link createListener} */
  of(address: DatabaseAddress, pool: Queryable): Listener;
}

interface Shared {
  readonly listener: Listener;
  users: number;
}

export function createSharedListeners(log: DatabaseLog): SharedListeners {
  const byAddress = new Map<string, Shared>();

  return {
    of(address, pool) {
      const key = address.directUrl ?? address.url;
      const options = { ...address, schema: 'public', applicationName: 'kedja-tenants-listen' };
      const shared = byAddress.get(key) ?? { listener: createListener(options, pool, log), users: 0 };
      byAddress.set(key, shared);
      shared.users += 1;
      const own = new Set<() => Promise<void>>();
      let isClosed = false;
      return {
        async listen(channel, onNotification) {
          if (isClosed) throw new Error('The database is closed');
          const forget = await shared.listener.listen(channel, onNotification);
          own.add(forget);
          return async () => {
            own.delete(forget);
            await forget();
          };
        },
        async close() {
          if (isClosed) return;
          isClosed = true;
          shared.users -= 1;
          if (shared.users === 0) {
            byAddress.delete(key);
            return shared.listener.close();
          }
          await Promise.all([...own].map((forget) => forget()));
        },
      };
    },
  };
}
