// Batches concurrent reads of single versions into one statement, because a look-up by key costs the database far less
// than the statement around it. The same statement stores the access records, which saves a round trip and a
// transaction. A read whose access the row alone cannot decide (a patient's compartment) has a statement of its own.

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { PendingRecord } from '#lib/audit/access-batch.ts';
import { type AccessLog, recordFoundSql } from '#lib/audit/access-log.ts';
import { plainArray } from '#lib/db/array-text.ts';
import type { PreparedStatement, Queryable } from '#lib/db/database.ts';
import { createBatcher, GROUPS_OF_READS } from '#lib/jobs/batcher.ts';
import type { Access, AccessFilter } from '../access.ts';
import type { FhirStore } from '../store.ts';
import type { Reading } from '../threads.ts';
import { presentVersion, type ResourceAddress, readCurrent, readVersion, type VersionAddress } from './lookup.ts';
import { type StoredVersion, toStoredVersion, type VersionRow } from './stored-version.ts';

/** The access record that the reading statement stores. */
export type ReadRecord = Omit<PendingRecord, 'resourceType' | 'id'>;

export interface BatchedLookup {
  /** As `FhirStore.read`. @throws ServiceError `not_found`, `deleted` */
  read(address: ResourceAddress, access: Access, record?: ReadRecord): Promise<FoundVersion>;
  /** As `FhirStore.vread`. @throws ServiceError `not_found`, `deleted` */
  vread(address: VersionAddress, access: Access, record?: ReadRecord): Promise<FoundVersion>;
}

export interface FoundVersion {
  readonly version: StoredVersion;
  /** Whether the statement stored the access record. */
  readonly isRecorded: boolean;
}

const LIMITS = { size: 100, groups: GROUPS_OF_READS };
/** Longer texts are read one by one, so that what is read at once stays small. */
const MAX_BATCHED_BYTES = 262_144;
/** Stands for the current version. */
const CURRENT = 0;

interface Key {
  readonly type: number;
  readonly rid: string;
  readonly version: number;
  /** The access record to store when the caller may see the version. */
  readonly record: PendingRecord | undefined;
  readonly visible: Visible;
}

/** Of which organisations a caller sees what there is: of all and nobody's, or of those listed. */
type Visible = 'all' | readonly string[];

interface FoundRow extends Omit<VersionRow, 'content'> {
  readonly place: number;
  /** The organisation of the current version, by which is decided who may see any of them. */
  readonly owner: string | null;
  /** Null when it is too long to go with others. */
  readonly content: string | null;
  readonly recorded?: boolean | null;
}

const KEYS = '$1::int[], $2::uuid[], $3::int[]';
/** LIMIT makes each key a look-up of its own, whatever the planner believes of the tables. */
const FOUND = `CROSS JOIN LATERAL (SELECT * FROM fhir_resource c WHERE c.type = k.type AND c.rid = k.rid LIMIT 1) r
    CROSS JOIN LATERAL (
      SELECT r.rid, r.version, r.updated_at, r.organisation, r.deleted, r.id, r.content WHERE k.version IN (${CURRENT}, r.version)
      UNION ALL
      (SELECT h.rid, h.version, h.updated_at, h.organisation, h.deleted, h.id, h.content FROM fhir_history h
        WHERE h.type = k.type AND h.rid = k.rid AND h.version = k.version LIMIT 1)
    ) v`;
const COLUMNS = `k.place::int AS place, r.organisation AS owner, v.rid, v.version, v.updated_at, v.organisation, v.deleted, v.id,
      CASE WHEN octet_length(v.content) <= ${MAX_BATCHED_BYTES} THEN v.content END AS content`;

const FIND: PreparedStatement = {
  name: 'fhir_batched',
  text: `SELECT ${COLUMNS} FROM unnest(${KEYS}) WITH ORDINALITY AS k(type, rid, version, place) ${FOUND}`,
};

/**
 * The statement stores an access record when the row alone decides that the version is shown; else it is stored later.
 */
const IS_SHOWN = `k.record >= 0 AND NOT v.deleted AND (v.id IS NULL OR v.id = v.rid::text)
      AND octet_length(v.content) <= ${MAX_BATCHED_BYTES} AND ($5::uuid[] IS NULL OR r.organisation = ANY($5::uuid[]))`;

/** The same, and stores the access records of what is found (docs/adr/0011). */
const FIND_AND_RECORD: PreparedStatement = {
  name: 'fhir_batched_recorded',
  text: `WITH found AS MATERIALIZED (SELECT ${COLUMNS}, k.record, ${IS_SHOWN} AS recorded
      FROM unnest(${KEYS}, $4::int[]) WITH ORDINALITY AS k(type, rid, version, record, place) ${FOUND}
    ), shown AS (SELECT record, version FROM found WHERE recorded), recorded AS (${recordFoundSql('shown', 6)})
    SELECT place, owner, rid, version, updated_at, organisation, deleted, id, content, recorded FROM found`,
};

export interface BatchingOptions {
  readonly database: Queryable;
  readonly parameters: SearchParameters;
  readonly accessLog: Pick<AccessLog, 'pendingRecords'>;
  /** Where resources of these types are read; from the tables when left out (../computed-rows.ts). */
  readonly from?: FhirStore['from'];
  /** For long versions that a patient asks for. */
  readonly workerThreads?: Reading['workerThreads'];
}

export function batchLookups(options: BatchingOptions): BatchedLookup {
  const { database, parameters, accessLog, workerThreads, from = (db) => db } = options;
  const find = createBatcher({
    name: 'read versions',
    together: (keys: readonly Key[]) => findAll(database, keys, accessLog),
    limits: LIMITS,
  });

  /** Undefined when there is none, or the caller may not see it; `alone` reads what cannot be batched. */
  async function lookUp(
    { resourceType, id, version = CURRENT }: ResourceAddress & { readonly version?: number },
    visible: Visible | undefined,
    { record, alone }: { readonly record: ReadRecord | undefined; readonly alone: () => Promise<StoredVersion> },
  ): Promise<FoundVersion | undefined> {
    const unrecorded = async () => ({ version: await alone(), isRecorded: false });
    if (visible === undefined || from(database, [resourceType]) !== database) return unrecorded();
    const rid = resourceKey(id);
    const pending = record === undefined || rid !== id ? undefined : { ...record, resourceType, id };
    const row = await find({ type: nameKey(resourceType), rid, version, record: pending, visible });
    if (row === undefined || !isVisible(visible, row.owner)) return undefined;
    if (row.content === null) return unrecorded();
    const found = toStoredVersion(resourceType, { ...row, content: row.content });
    return found.id === id ? { version: found, isRecorded: row.recorded ?? false } : undefined;
  }

  return {
    async read(address, access, record) {
      const alone = () => readCurrent(from(database, [address.resourceType]), address, access);
      const found = await lookUp(address, visibleBy(access(address.resourceType)), { record, alone });
      return { version: presentVersion(found?.version, address), isRecorded: found?.isRecorded ?? false };
    },
    async vread(address, access, record) {
      const { resourceType } = address;
      const alone = () => readVersion(from(database, [resourceType]), address, access, { parameters, workerThreads });
      const found = await lookUp(address, visibleBy(access(address.resourceType)), { record, alone });
      // What was erased has no old versions, and answers so.
      if (found === undefined) return { version: await alone(), isRecorded: false };
      return { version: presentVersion(found.version, address, address.version), isRecorded: found.isRecorded };
    },
  };
}

/** What was found for each key, in their order. */
async function findAll(
  database: Queryable,
  keys: readonly Key[],
  accessLog: Pick<AccessLog, 'pendingRecords'>,
): Promise<{ value: FoundRow | undefined }[]> {
  const own = [
    plainArray(keys.map(({ type }) => type)),
    plainArray(keys.map(({ rid }) => rid)),
    plainArray(keys.map(({ version }) => version)),
  ];
  const pending = pendingOf(keys);
  const { rows } = await (pending === undefined
    ? database.query<FoundRow>(FIND, own)
    : database.query<FoundRow>(FIND_AND_RECORD, [
        ...own,
        ...pending.values,
        ...accessLog.pendingRecords(pending.records),
      ]));
  const found = keys.map((): { value: FoundRow | undefined } => ({ value: undefined }));
  for (const row of rows) found[row.place - 1] = { value: row };
  return found;
}

/**
 * The access records to store with the reads: those of callers with the same access as the first. Others are stored
 * later.
 */
function pendingOf(
  keys: readonly Key[],
): { readonly values: unknown[]; readonly records: PendingRecord[] } | undefined {
  const first = keys.find(({ record }) => record !== undefined);
  if (first === undefined) return undefined;
  const records: PendingRecord[] = [];
  const places = keys.map(({ record, visible }) =>
    record === undefined || !isSame(visible, first.visible) ? -1 : records.push(record) - 1,
  );
  return { values: [plainArray(places), first.visible === 'all' ? null : plainArray(first.visible)], records };
}

function isSame(one: Visible, other: Visible): boolean {
  if (one === other || one === 'all' || other === 'all') return one === other;
  return one.length === other.length && one.every((guid, place) => guid === other[place]);
}

/** Whose records a filter lets through, where it asks for no more of a row than its organisation. */
function visibleBy(filter: AccessFilter): Visible | undefined {
  switch (filter.kind) {
    case 'all':
      return 'all';
    case 'none':
      return [];
    case 'unprotected':
    case 'patient':
    case 'reported':
    case 'provided':
    case 'secured':
      return undefined;
    case 'organisations':
      return filter.guids;
    case 'any':
      return visibleByAny(filter.filters);
    default:
      return filter satisfies never;
  }
}

function visibleByAny(filters: readonly AccessFilter[]): Visible | undefined {
  const guids: string[] = [];
  let isAll = false;
  for (const filter of filters) {
    const visible = visibleBy(filter);
    if (visible === undefined) return undefined;
    if (visible === 'all') isAll = true;
    else guids.push(...visible);
  }
  return isAll ? 'all' : guids;
}

function isVisible(visible: Visible, owner: string | null): boolean {
  return visible === 'all' || (owner !== null && visible.includes(owner));
}
