// SQL statements for providers.
import type { Database, Queryable } from '#lib/db/database.ts';
import { byName } from '#lib/db/name-order.ts';
import { rowsByGuid } from '#lib/db/rows.ts';
import { isGuid } from '#lib/guid.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { Conditions, containing, instant, LIKE, selectPage, showingWritten } from '../shared/sql.ts';
import type { DirectoryQuery, Provider, ProviderInput, ProviderQuery, ProviderSummary } from './schema.ts';

const COLUMNS = `provider_guid, name, organisation_guid, region, status, version, ${instant('created_at')}, ${instant('updated_at')}`;

export function listProviders(db: Database, query: ProviderQuery & PageRequest): Promise<Page<Provider>> {
  const conditions = new Conditions()
    .add(containing(query.search), (pattern) => `name ${LIKE} ${pattern}`)
    .add(query.region, (region) => `region = ${region}`)
    .add(query.status, (status) => `status = ${status}`);
  const statement = { columns: COLUMNS, from: 'provider', orderBy: byName('name', 'provider_guid') };
  return selectPage<Provider>(db, statement, conditions, query);
}

/** Active providers whose name or region has each of the words, or those of the query's guids whatever their status. */
export function listDirectory(db: Database, query: DirectoryQuery & PageRequest): Promise<Page<ProviderSummary>> {
  const words = query.search?.split(/\s+/).filter((word) => word !== '');
  const conditions = new Conditions()
    .add(words?.map(containing), (patterns) => `(name || ' ' || region) ${LIKE} ALL (${patterns}::text[])`)
    // What is no guid is no provider's; a consent may name anything.
    .add(query.provider_guid?.filter(isGuid), (guids) => `provider_guid = ANY (${guids}::uuid[])`)
    .add(query.provider_guid === undefined ? 'active' : undefined, (status) => `status = ${status}`);
  const columns = 'provider_guid, name, region, organisation_guid';
  const statement = { columns, from: 'provider', orderBy: byName('name', 'provider_guid') };
  return selectPage<ProviderSummary>(db, statement, conditions, query);
}

export const { find: findProvider } = rowsByGuid<Provider>('provider', 'provider_guid', COLUMNS);

export const insertProvider = writing(
  `INSERT INTO provider (provider_guid, name, organisation_guid, region, status, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $6)`,
);

export const updateProvider = writing(
  `UPDATE provider SET name = $2, organisation_guid = $3, region = $4, status = $5, updated_at = $6
   WHERE provider_guid = $1`,
);

/** Runs the statement with the fields of a provider; it returns the row that it wrote, if any. */
function writing(text: string) {
  return async (db: Queryable, guid: string, input: ProviderInput, at: Date): Promise<Provider | undefined> => {
    const { name, organisation_guid: organisation, region, status } = input;
    const values = [guid, name, organisation ?? null, region, status ?? 'active', at];
    return (await db.query<Provider>(showingWritten(text, COLUMNS), values)).rows[0];
  };
}
