// SQL statements for providers.
import type { Database, Queryable } from '#lib/db/database.ts';
import { byName } from '#lib/db/name-order.ts';
import { rowsByGuid } from '#lib/db/rows.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { Conditions, containing, instant, LIKE, selectPage, showingWritten } from '../shared/sql.ts';
import type { Provider, ProviderInput, ProviderQuery } from './schema.ts';

const COLUMNS = `provider_guid, name, organisation_guid, region, status, version, ${instant('created_at')}, ${instant('updated_at')}`;

export function listProviders(db: Database, query: ProviderQuery & PageRequest): Promise<Page<Provider>> {
  const conditions = new Conditions()
    .add(containing(query.search), (pattern) => `name ${LIKE} ${pattern}`)
    .add(query.region, (region) => `region = ${region}`)
    .add(query.status, (status) => `status = ${status}`);
  const statement = { columns: COLUMNS, from: 'provider', orderBy: byName('name', 'provider_guid') };
  return selectPage<Provider>(db, statement, conditions, query);
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
