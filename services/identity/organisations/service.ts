// Organisations: professionals work at them and patients register with them.
import type { Audit } from '#lib/audit/audit.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Queryable } from '#lib/db/database.ts';
import { conflict, notFound } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import type { ListRange } from '../list-page.ts';
import * as store from './store.ts';

export interface Organisations {
  list(range: ListRange): Promise<store.Organisation[]>;
  count(): Promise<number>;
  /** @throws ServiceError `conflict` when the name is taken, in whatever case */
  create(actor: Actor, name: string): Promise<store.Organisation>;
  /** Searches by a part of the name; `total` counts beyond `limit`. */
  search(text: string, limit: number): Promise<{ found: store.Organisation[]; total: number }>;
  find(organisationGuid: string): Promise<store.Organisation | null>;
  /** @throws ServiceError `not_found` */
  require(db: Queryable, organisationGuid: string): Promise<void>;
}

export function createOrganisations(deps: { database: Database; clock: Clock; audit: Audit }): Organisations {
  const { database, clock, audit } = deps;
  return {
    list: (range) => store.listOrganisations(database, range),
    count: () => store.countOrganisations(database),
    create(actor, name) {
      const organisation = { organisationGuid: newGuid(clock.now()), name: name.trim() };
      return database.transaction(async (tx) => {
        const isNew = await store.insertOrganisation(tx, organisation, new Date(clock.now()));
        if (!isNew) throw conflict('An organisation of that name exists');
        const entities = [`Organization/${organisation.organisationGuid}`];
        await audit.record(tx, { action: 'C', event: 'organisation.create', entities, ...actor });
        return organisation;
      });
    },
    search: (text, limit) => store.searchOrganisations(database, text, limit),
    find: async (guid) => (isGuid(guid) ? store.readOrganisation(database, guid) : null),
    async require(db, organisationGuid) {
      const isKnown = isGuid(organisationGuid) && (await store.organisationExists(db, organisationGuid));
      if (!isKnown) throw notFound('Organisation');
    },
  };
}
