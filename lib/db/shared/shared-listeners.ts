// LISTEN for many schemas of one database over one connection: that of every tenant would be hundreds (docs/adr/0138).
// Tenants of a database have roles of their own. Every role may listen to every channel, so the connection is of any.
import { type DatabaseAddress, type DatabaseLog, serverOf } from '../connection.ts';
import { createListener, type Listener, type ListenerSite } from '../listener.ts';

export interface SharedListeners {
  /** The listener of one schema. Closing it ends its channels alone. */
  of(site: ListenerSite): Listener;
}

interface Shared {
  readonly listener: Listener;
  /** Those who use it. The first of them is whose role connects next. */
  readonly users: ListenerSite[];
}

export function createSharedListeners(log: DatabaseLog): SharedListeners {
  const byDatabase = new Map<string, Shared>();

  function make(first: ListenerSite): Shared {
    const users = [first];
    const nextSite = () => {
      // Where the role of one cannot connect any more, that of the next is tried.
      const next = users.shift() ?? first;
      users.push(next);
      return { ...next, options: { ...next.options, schema: 'public', applicationName: 'kedja-tenants-listen' } };
    };
    return { listener: createListener(nextSite, log), users };
  }

  return {
    of(site) {
      const key = databaseOf(site.options);
      const known = byDatabase.get(key);
      const shared = known ?? make(site);
      if (known === undefined) byDatabase.set(key, shared);
      else shared.users.push(site);
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
          const [last] = shared.users;
          if (shared.users.length === 1 && last === site) {
            byDatabase.delete(key);
            return shared.listener.close();
          }
          shared.users.splice(shared.users.indexOf(site), 1);
          await Promise.all([...own].map((forget) => forget()));
        },
      };
    },
  };
}

/** The same for all roles of a database; with the parameters of its address, such as those of TLS. */
function databaseOf({ url, directUrl }: DatabaseAddress): string {
  const direct = directUrl ?? url;
  const { pathname, search } = new URL(direct);
  return serverOf(direct) + pathname + search;
}
