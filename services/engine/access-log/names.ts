// Names of those who took part, as they were at the time of the access (docs/adr/0075). They are asked for when a log
// is read. Identity knows those of users and organisations. The engine knows those of providers, keys and its own
// users.
import type { IdentityNames } from '#clients/identity-names.ts';
import type { Database } from '#lib/db/database.ts';
import { isGuid } from '#lib/guid.ts';
import * as store from './store.ts';

export interface PartyName {
  readonly name: string | null;
  /** The role in the register, such as `nurse`. */
  readonly role: string | null;
  /** What patients know a proxy without a name by. */
  readonly proxyName?: string | undefined;
}

export interface PartyNames {
  /** Reads the names of those of whom they are not read yet. @throws ServiceError `upstream_unavailable` */
  read(parties: readonly string[]): Promise<void>;
  /** The name at a time; where it was not known yet, the first; undefined of whom there is none. */
  at(party: string, time: Date): PartyName | undefined;
  /** Those of the parties that were called so at some time, whatever the case, or have this guid. */
  matching(parties: readonly string[], text: string): string[];
}

interface TimedName extends PartyName {
  readonly from: number;
}

/** Names that are read are kept, for all pages of an export. */
export function createPartyNames(database: Database, identity: IdentityNames | undefined): PartyNames {
  const known = new Map<string, TimedName[]>();

  async function readOfIdentity(parties: readonly string[]): Promise<void> {
    const guids = new Map(parties.map((party) => [guidOf(party), party]));
    if (identity === undefined || guids.size === 0) return;
    for (const { guid, validFrom: from, ...name } of await identity.names([...guids.keys()]))
      known.get(guids.get(guid) ?? '')?.push({ from, ...name });
  }

  return {
    async read(parties) {
      const asked = [...new Set(parties)].filter((party) => !known.has(party));
      if (asked.length === 0) return;
      for (const party of asked) known.set(party, []);
      const ofIdentity = asked.filter((party) => /^(?:user|organisation)\//.test(party) && isGuid(guidOf(party)));
      try {
        await readOfIdentity(ofIdentity);
        for (const { party, valid_from: from, name, role } of await store.findLocalNames(database, asked))
          known.get(party)?.push({ from: from.getTime(), name, role });
      } catch (error) {
        for (const party of asked) known.delete(party);
        throw error;
      }
    },
    at(party, time) {
      const names = known.get(party) ?? [];
      return names.findLast(({ from }) => from <= time.getTime()) ?? names[0];
    },
    matching(parties, text) {
      const wanted = text.toLowerCase();
      return parties.filter(
        (party) =>
          guidOf(party) === wanted ||
          (known.get(party) ?? []).some(
            ({ name, proxyName }) => (name ?? proxyName)?.toLowerCase().includes(wanted) === true,
          ),
      );
    },
  };
}

function guidOf(party: string): string {
  return party.slice(party.indexOf('/') + 1);
}
