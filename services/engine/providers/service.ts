// Providers: the caregiver organisations that receive requests (decision E9).
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { type Replacement, requireReplaced } from '../shared/record-versions.ts';
import { requireGuid } from '../shared/sql.ts';
import type { DirectoryQuery, Provider, ProviderInput, ProviderQuery, ProviderSummary } from './schema.ts';
import { findProvider, insertProvider, listDirectory, listProviders, updateProvider } from './store.ts';

export interface ProviderService {
  list(query: ProviderQuery & PageRequest): Promise<Page<Provider>>;
  /** Among which a patient chooses, and what those are called whom they chose before. */
  directory(query: DirectoryQuery & PageRequest): Promise<Page<ProviderSummary>>;
  get(id: string): Promise<Provider>;
  create(input: ProviderInput): Promise<Provider>;
  /** @throws ServiceError `precondition_failed` when it is not a version that may be replaced */
  replace(id: string, input: ProviderInput, by: Pick<Replacement, 'ifMatch'>): Promise<Provider>;
}

export interface ProviderDependencies {
  readonly database: Database;
  readonly clock: Clock;
  /** Called when a provider has become active or inactive, because its API keys depend on that. */
  readonly onReplaced: () => void;
}

export function createProviderService({ database, clock, onReplaced }: ProviderDependencies): ProviderService {
  const found = (provider: Provider | undefined): Provider => {
    if (provider === undefined) throw notFound('Provider');
    return provider;
  };
  return {
    list: (query) => listProviders(database, query),
    directory: (query) => listDirectory(database, query),
    get: async (id) => found(await findProvider(database, requireGuid(id, 'Provider'))),
    create: async (input) => found(await insertProvider(database, newGuid(clock.now()), input, new Date(clock.now()))),
    replace: async (id, input, { ifMatch }) => {
      const guid = requireGuid(id, 'Provider');
      const provider = await database.transaction(async (tx) => {
        const updated = found(await updateProvider(tx, guid, input, new Date(clock.now())));
        requireReplaced(ifMatch, updated.version);
        return updated;
      });
      onReplaced();
      return provider;
    },
  };
}
