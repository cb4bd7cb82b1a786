// Reads of single versions that are asked for at the same time, gathered into one statement: a look-up by key costs the database far less than
// the statement around it. What cannot be judged by the row alone (a patient's compartment) is read by a statement of its own.
import type { Database, PreparedStatement } from '#lib/db/database.ts';
import type { SearchParameters } from '#lib/fhir/search/definitions.ts';
import { nameKey, resourceKey } from '#lib/fhir/search/keys.ts';
import { createGatherer } from '#lib/jobs/gather.ts';
import type { Access, AccessFilter } from './access.ts';
import { presentVersion, type ResourceAddress, readCurrent, readVersion } from './lookup.ts';
import { type StoredVersion, toStoredVersion, type VersionRow } from './stored-version.ts';

export interface GatheredLookup {
  /** As `FhirStore.read`. @throws ServiceError `not_found`, `deleted` */
  read(address: ResourceAddress, access: Access): Promise<StoredVersion>;
  /** As `FhirStore.vread`. @throws ServiceError `not_found`, `deleted` */
  vread(address: ResourceAddress & { readonly version: number }, access: Access): Promise<StoredVersion>;
}

const LIMITS = { size: 100, groups: 2 };
/** Longer texts are read one by one, so that what is under way at once stays small. */
const MAX_GATHERED_BYTES = 262_144;
/** Stands for the current version. */
const CURRENT = 0;

interface Key {
  readonly type: number;
  readonly rid: string;
  readonly version: number;
}

interface FoundRow extends Omit<VersionRow, 'content'> {
  readonly place: number;
  /** The organisation of the current version, by which is judged who may see any of them. */
  readonly owner: string | null;
  /** Null when it is too long to go with others. */
  readonly content: string | null;
}

/** LIMIT makes each key a look-up of its own, whatever the planner believes of the tables. */
const FIND: PreparedStatement = {
  name: 'fhir_gathered',
  text: `SELECT k.place::int AS place, r.organisation AS owner, v.rid, v.version, v.updated_at, v.organisation, v.deleted, v.id,
      CASE WHEN octet_length(v.content) <= ${MAX_GATHERED_BYTES} THEN v.content END AS content
    FROM unnest($1::int[], $2::uuid[], $3::int[]) WITH ORDINALITY AS k(type, rid, version, place)
    CROSS JOIN LATERAL (SELECT * FROM fhir_resource c WHERE c.type = k.type AND c.rid = k.rid LIMIT 1) r
    CROSS JOIN LATERAL (
      SELECT r.rid, r.version, r.updated_at, r.organisation, r.deleted, r.id, r.content WHERE k.version IN (${CURRENT}, r.version)
      UNION ALL
      (SELECT h.rid, h.version, h.updated_at, h.organisation, h.deleted, h.id, h.content FROM fhir_history h
        WHERE h.type = k.type AND h.rid = k.rid AND h.version = k.version LIMIT 1)
    ) v`,
};

export function gatherLookups(database: Database, parameters: SearchParameters): GatheredLookup {
  const find = createGatherer({ together: (keys: readonly Key[]) => findAll(database, keys), limits: LIMITS });

  /** Undefined when there is none, or the caller may not see it; `alone` reads what cannot be gathered. */
  async function look(
    { resourceType, id, version = CURRENT }: ResourceAddress & { readonly version?: number },
    filter: AccessFilter,
    alone: () => Promise<StoredVersion>,
  ): Promise<StoredVersion | undefined> {
    if (!isJudgedByRow(filter)) return alone();
    const row = await find({ type: nameKey(resourceType), rid: resourceKey(id), version });
    if (row === undefined || !isVisible(filter, row.owner)) return undefined;
    if (row.content === null) return alone();
    const found = toStoredVersion(resourceType, { ...row, content: row.content });
    return found.id === id ? found : undefined;
  }

  return {
    async read(address, access) {
      const alone = () => readCurrent(database, address, access);
      return presentVersion(await look(address, access(address.resourceType), alone), address);
    },
    async vread(address, access) {
      const alone = () => readVersion(database, address, access, parameters);
      return presentVersion(await look(address, access(address.resourceType), alone), address, address.version);
    },
  };
}

/** What was found for each key, in their order. */
async function findAll(database: Database, keys: readonly Key[]): Promise<{ value: FoundRow | undefined }[]> {
  const { rows } = await database.query<FoundRow>(FIND, [
    keys.map(({ type }) => type),
    keys.map(({ rid }) => rid),
    keys.map(({ version }) => version),
  ]);
  const found = keys.map((): { value: FoundRow | undefined } => ({ value: undefined }));
  for (const row of rows) found[row.place - 1] = { value: row };
  return found;
}

function isJudgedByRow(filter: AccessFilter): boolean {
  if (filter.kind === 'any') return filter.filters.every(isJudgedByRow);
  return filter.kind !== 'patient';
}

/** What `accessCondition` says of a row of this organisation, where it asks for no more than the row. */
function isVisible(filter: AccessFilter, owner: string | null): boolean {
  switch (filter.kind) {
    case 'all':
      return true;
    case 'none':
    case 'patient':
      return false;
    case 'organisations':
      return owner !== null && filter.guids.includes(owner);
    case 'any':
      return filter.filters.some((part) => isVisible(part, owner));
    default:
      return filter satisfies never;
  }
}
