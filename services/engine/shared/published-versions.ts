// Protects published versions of plans and activities (docs/adr/0021): a PlanDefinition or ActivityDefinition with
// `url` and `version` and the status active or retired. Others reference it by url and version. Every write goes
// through this store. It refuses a write that changes such a version, creates a second one, or deletes an active one.
import { isDeepStrictEqual } from 'node:util';
import { ALL_ACCESS } from '#fhir/store/access.ts';
import type { ResourceAddress } from '#fhir/store/read/lookup.ts';
import { addressOf } from '#fhir/store/read/stored-version.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Issue, ServiceError } from '#lib/errors.ts';
import { PUBLISHED_TYPES } from './definition-types.ts';

type Json = Readonly<Record<string, unknown>>;

/** The url and version by which others reference a published version. */
export interface Published {
  readonly type: string;
  readonly url: string;
  readonly version: string;
}

/** Elements that may change in a published version: whether it is still in use, and who has reviewed it since. */
const FREE = new Set(
  'id meta status date approvalDate lastReviewDate effectivePeriod contact editor reviewer endorser'.split(' '),
);
const STATUSES = new Set<unknown>(['active', 'retired']);

/** Wraps the store so that published versions do not change. */
export function withPublishedVersions(store: FhirStore): FhirStore {
  const requireOne = (db: Queryable, resource: Json, id?: string) => requireOnlyOne({ store, db }, resource, id);
  return {
    ...store,
    create: async (db, input) => {
      await requireOne(db, input.source.resource, input.id);
      return store.create(db, input);
    },
    createMany: async (db, inputs, whenRead) => {
      requireDistinct(inputs.map(({ source }) => source.resource));
      for (const { source, id } of inputs) await requireOne(db, source.resource, id);
      return store.createMany(db, inputs, whenRead);
    },
    update: async (tx, input) => {
      if (!PUBLISHED_TYPES.has(input.resourceType)) return store.update(tx, input);
      await lock(tx, addressOf(input));
      await requireOne(tx, input.source.resource, input.id);
      const current = await currentOf(store, tx, input);
      if (current !== undefined) requireSame(input, current, input.source.resource);
      return store.update(tx, input);
    },
    delete: async (tx, input) => {
      if (PUBLISHED_TYPES.has(input.resourceType)) {
        await lock(tx, addressOf(input));
        requireOutOfUse(input, await currentOf(store, tx, input));
      }
      return store.delete(tx, input);
    },
    // Each resource is checked by itself, as above.
    updateMany: async (tx, inputs, options) => {
      const plain = inputs.filter(isPlain);
      const outcomes = new Map((await store.updateMany(tx, plain, options)).map((outcome, at) => [plain[at], outcome]));
      return inputs.map((input) => outcomes.get(input));
    },
    deleteMany: async (tx, inputs) => {
      const plain = inputs.filter(isPlain);
      const outcomes = new Map((await store.deleteMany(tx, plain)).map((outcome, at) => [plain[at], outcome]));
      return inputs.map((input) => outcomes.get(input));
    },
  };
}

/** Whether a version of a plan exists, with any status. Locks the version until the transaction ends. */
export async function lockVersion(store: FhirStore, db: Queryable, published: Published): Promise<boolean> {
  await lock(db, JSON.stringify(published));
  return (await findVersions({ store, db }, published)).length > 0;
}

function isPlain({ resourceType }: ResourceAddress): boolean {
  return !PUBLISHED_TYPES.has(resourceType);
}

/** Returns the url and version of a published version; undefined for a draft, and for a resource without a version. */
function publishedOf(resource: Json): Published | undefined {
  const { resourceType: type, url, version, status } = resource;
  if (typeof type !== 'string' || !PUBLISHED_TYPES.has(type) || !STATUSES.has(status)) return undefined;
  return typeof url === 'string' && typeof version === 'string' ? { type, url, version } : undefined;
}

async function lock(db: Queryable, key: string): Promise<void> {
  await db.query({ name: 'published_lock', text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 21))' }, [key]);
}

async function currentOf(
  store: FhirStore,
  tx: Parameters<FhirStore['lock']>[0],
  { resourceType, id }: ResourceAddress,
) {
  const current = await store.lock(tx, { resourceType, id }, ALL_ACCESS);
  if (current === undefined || current.isDeleted) return undefined;
  const resource: Json = JSON.parse(current.content);
  return resource;
}

/** @throws ServiceError `conflict` when another resource is the same published version */
async function requireOnlyOne(place: Place, resource: Json, id: string | undefined): Promise<void> {
  const published = publishedOf(resource);
  if (published === undefined) return;
  await lock(place.db, JSON.stringify(published));
  const found = await findVersions(place, published);
  const other = found.find((each) => each.id !== id && publishedOf(each.resource) !== undefined);
  if (other === undefined) return;
  throw duplicate(published, `${published.type}/${other.id} is`);
}

/** @throws ServiceError `conflict` when two of the new resources are the same published version */
function requireDistinct(resources: readonly Json[]): void {
  const known = new Set<string>();
  for (const resource of resources) {
    const published = publishedOf(resource);
    if (published === undefined) continue;
    const key = JSON.stringify(published);
    if (known.has(key)) throw duplicate(published, 'Another of these is');
    known.add(key);
  }
}

function duplicate({ type, url, version }: Published, which: string): ServiceError {
  const message = `${which} the published version ${version} of ${url}: give this one another version`;
  return new ServiceError('conflict', message, { issues: [{ message, field: `${type}.version`, code: 'duplicate' }] });
}

interface Place {
  readonly store: FhirStore;
  readonly db: Queryable;
}

async function findVersions({ store, db }: Place, { type, url, version }: Published) {
  const query = store.parse(type, [
    ['url', escapedValue(url)],
    ['version', escapedValue(version)],
  ]);
  const { matches } = await store.search(db, query, { access: ALL_ACCESS });
  return matches
    .map(({ id, content }): { id: string; resource: Json } => ({ id, resource: JSON.parse(content) }))
    .filter(({ resource }) => resource['url'] === url && resource['version'] === version);
}

/** Escapes a value of a search parameter. */
export function escapedValue(value: string): string {
  return value.replaceAll(/[\\,$|]/g, '\\$&');
}

/** @throws ServiceError `conflict` naming every element of a published version that would change */
function requireSame(address: ResourceAddress, before: Json, after: Json): void {
  const published = publishedOf(before);
  if (published === undefined) return;
  const { type, url, version } = published;
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => {
    if (name === 'status') return !STATUSES.has(after['status']);
    return !FREE.has(name.replace(/^_/, '')) && !isDeepStrictEqual(before[name], after[name]);
  });
  if (changed.length === 0) return;
  const issues = changed.map(
    (name): Issue => ({
      field: `${type}.${name}`,
      message: `'${name}' of a published version may not ${name === 'status' ? 'be anything but active or retired' : 'change'}`,
      code: 'business-rule',
    }),
  );
  const message = `${addressOf(address)} is the published version ${version} of ${url} and in use: ${changed.join(', ')} may not change. Publish what has changed as a new version, which is a resource of its own with another version`;
  throw new ServiceError('conflict', message, {
    issues: [{ message, code: 'business-rule' }, ...issues],
  });
}

/** @throws ServiceError `conflict` */
function requireOutOfUse(address: ResourceAddress, current: Json | undefined): void {
  const published = current && publishedOf(current);
  if (published === undefined || current?.['status'] !== 'active') return;
  const message = `${addressOf(address)} is the published version ${published.version} of ${published.url} and in use: set its status to retired before you delete it`;
  throw new ServiceError('conflict', message, { issues: [{ message, code: 'business-rule' }] });
}
