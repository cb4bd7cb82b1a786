// Organisations: professionals work at them and patients register with them. One may be a provider's (decision L7): its
// professionals in the phase `execution` are the provider's staff (docs/adr/0077).

import type { Queryable } from '#lib/db/database.ts';
import { conflict, notFound } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { ListRange } from '../list-page.ts';
import type { Revocations } from '../revocations/service.ts';
import * as store from './store.ts';

export type { Organisation } from './store.ts';

export interface Organisations {
  list(range: ListRange): Promise<store.Organisation[]>;
  count(): Promise<number>;
  /** @throws ServiceError `conflict` when the name is taken, in whatever case */
  create(actor: Actor, name: string): Promise<store.Organisation>;
  /** Searches by a part of the name; `total` counts beyond `limit`. */
  search(text: string, limit: number): Promise<{ found: store.Organisation[]; total: number }>;
  /** A page of those whose name contains the text, or of a provider's, with how many professionals work there. */
  listCounted(
    filter: { readonly search: string | undefined; readonly providerGuid: string | undefined },
    range: { limit: number; offset: number },
  ): Promise<{ found: store.CountedOrganisation[]; total: number }>;
  find(organisationGuid: string): Promise<store.Organisation | null>;
  /**
   * Makes it the organisation of a provider, or of none (null). Effective as every change of access: here at once,
   * everywhere within two seconds.
   * @throws ServiceError `not_found`
   */
  setProvider(actor: Actor, organisationGuid: string, providerGuid: string | null): Promise<store.Organisation>;
  /** @throws ServiceError `not_found` */
  require(db: Queryable, organisationGuid: string): Promise<void>;
}

export interface OrganisationsDeps extends WriteDependencies {
  readonly revocations: Pick<Revocations, 'usersChanged'>;
  readonly takeEffect: () => Promise<void>;
}

export function createOrganisations(deps: OrganisationsDeps): Organisations {
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
    setProvider: (actor, organisationGuid, providerGuid) =>
      setProvider(deps, actor, { organisationGuid, providerGuid }),
    search: (text, limit) => store.searchOrganisations(database, text, limit),
    listCounted: ({ search, providerGuid }, range) =>
      store.listCounted(database, { search: search?.trim() || null, providerGuid: providerGuid ?? null }, range),
    find: async (guid) => (isGuid(guid) ? store.readOrganisation(database, guid) : null),
    async require(db, organisationGuid) {
      const isKnown = isGuid(organisationGuid) && (await store.organisationExists(db, organisationGuid));
      if (!isKnown) throw notFound('Organisation');
    },
  };
}

async function setProvider(
  { database, audit, revocations, takeEffect }: OrganisationsDeps,
  actor: Actor,
  { organisationGuid, providerGuid }: { readonly organisationGuid: string; readonly providerGuid: string | null },
): Promise<store.Organisation> {
  const changed = await database.transaction(async (tx) => {
    const organisation = isGuid(organisationGuid) ? await store.setProvider(tx, organisationGuid, providerGuid) : null;
    if (organisation === null) throw notFound('Organisation');
    const entities = [`Organization/${organisationGuid}`];
    await audit.record(tx, {
      action: 'U',
      event: 'organisation.set-provider',
      entities: providerGuid === null ? entities : [...entities, `provider/${providerGuid}`],
      detail: providerGuid === null ? 'no provider' : 'a provider',
      ...actor,
    });
    await revocations.usersChanged(tx, await store.listProfessionals(tx, organisationGuid));
    return organisation;
  });
  await takeEffect();
  return changed;
}
