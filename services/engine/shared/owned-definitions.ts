// Reserves the url of a definition for its owner (docs/adr/0050). A reference without a version means the latest
// resource with the url. A second one by another organisation would replace it. Every write goes through this store.

import { type Access, ALL_ACCESS } from '#fhir/store/access.ts';
import type { ResourceAddress } from '#fhir/store/read/lookup.ts';
import type { RowCondition } from '#fhir/store/search/search-sql.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import { hiddenFailure } from '#fhir/store/write/write.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { PUBLISHED_TYPES } from './definition-types.ts';
import { policyOf } from './policies.ts';
import { escapedValue } from './published-versions.ts';

type Json = Readonly<Record<string, unknown>>;

/** Wraps the store so that only the owner of a definition's url writes definitions with it. */
export function withOwnedUrls(store: FhirStore): FhirStore {
  const requireNew = async (db: Queryable, resource: Json, organisation: string | null) => {
    // A definition by an administrator belongs to the whole system.
    if (organisation !== null) await requireOwnUrl({ store, db }, resource, [organisation]);
  };
  return {
    ...store,
    create: async (db, input) => {
      await requireNew(db, input.source.resource, input.organisation);
      return store.create(db, input);
    },
    createMany: async (db, inputs, whenRead) => {
      for (const { source, organisation } of inputs) await requireNew(db, source.resource, organisation);
      return store.createMany(db, inputs, whenRead);
    },
    update: async (tx, input) => {
      await requireOwn(store, tx, input);
      const filter = input.access(input.resourceType);
      const own = filter.kind === 'organisations' ? filter.guids : [];
      if (filter.kind !== 'all') await requireOwnUrl({ store, db: tx }, input.source.resource, own);
      return store.update(tx, input);
    },
    delete: async (tx, input) => {
      await requireOwn(store, tx, input);
      return store.delete(tx, input);
    },
    // Each resource is checked by itself, as above.
    updateMany: async (tx, inputs, options) => {
      const plain = inputs.filter(({ resourceType, source }) => urlOf(resourceType, source.resource) === undefined);
      const outcomes = new Map((await store.updateMany(tx, plain, options)).map((outcome, at) => [plain[at], outcome]));
      return inputs.map((input) => outcomes.get(input));
    },
  };
}

/** Checks the owner of a published version first, before any other error about it. @throws ServiceError `forbidden` */
async function requireOwn(
  store: FhirStore,
  tx: Transaction,
  input: ResourceAddress & { readonly access: Access },
): Promise<void> {
  if (!PUBLISHED_TYPES.has(input.resourceType) || input.access(input.resourceType).kind === 'all') return;
  if ((await store.lock(tx, input, input.access)) !== undefined) return;
  if ((await store.lock(tx, input, ALL_ACCESS)) !== undefined) throw hiddenFailure(input, input.access);
}

/** Returns the url of a definition; undefined for other resources. */
function urlOf(resourceType: unknown, { url }: Json): string | undefined {
  return typeof url === 'string' && policyOf(String(resourceType)).isOpen ? url : undefined;
}

/** @throws ServiceError `forbidden` when a definition of another owner has the url */
async function requireOwnUrl(
  { store, db }: { readonly store: FhirStore; readonly db: Queryable },
  resource: Json,
  own: readonly string[],
): Promise<void> {
  const type = String(resource['resourceType']);
  const url = urlOf(type, resource);
  if (url === undefined || store.parameters.forType(type).get('url') === undefined) return;
  // The lock orders concurrent writers of the same new url.
  const lock = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 50))';
  await db.query({ name: 'definition_url_lock', text: lock }, [`${type} ${url}`]);
  const ofOthers: RowCondition = (alias, values) =>
    `(${alias}.organisation IS NULL OR ${alias}.organisation <> ALL(${values.bind(own, 'uuid[]')}))`;
  const query = store.parse(type, [['url', escapedValue(url)]]);
  const { matches } = await store.search(db, query, { access: ALL_ACCESS, condition: ofOthers });
  const other = matches.find(({ content }) => JSON.parse(content).url === url);
  if (other === undefined) return;
  const message = `The url ${url} belongs to ${type}/${other.id}, which is not your organisation's: give yours another url`;
  throw new ServiceError('forbidden', message, { issues: [{ message, field: `${type}.url`, code: 'forbidden' }] });
}
