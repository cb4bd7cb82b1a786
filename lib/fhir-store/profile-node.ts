// One node's part in the profiles that users define: it looks every second which StructureDefinitions have been written, by whatever way,
// and loads those, with the codes of the value sets that they ask for. A trigger notes them with their transactions, so that a look costs what
// has changed, not what there is (docs/adr/0014).
import type { Database, Queryable } from '#lib/db/database.ts';
import { boundValueSets } from '#lib/fhir/profiles/bound-value-sets.ts';
import type { CustomProfiles } from '#lib/fhir/profiles/custom.ts';
import { readStructure, type Structure } from '#lib/fhir/profiles/structure.ts';
import { nameKey } from '#lib/fhir/search/keys.ts';
import { createLoadedFollower, type LoadedFollower } from '#lib/jobs/follower.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { BoundValueSets } from './bound-codes.ts';

/** Definitions read in one statement: they may be large. */
const READ_AT_ONCE = 50;
const TYPE = nameKey('StructureDefinition');

export interface ProfileNodeDependencies {
  readonly database: Database;
  readonly profiles: Pick<CustomProfiles, 'replace'>;
  readonly valueSets: Pick<BoundValueSets, 'want' | 'refresh'>;
  readonly log: Logger;
}

interface Loaded {
  readonly version: number;
  /** Undefined for what is no profile, retired or deleted. */
  readonly structure: Structure | undefined;
}

export function createProfileNode({ database, profiles, valueSets, log }: ProfileNodeDependencies): LoadedFollower {
  const loaded = new Map<string, Loaded>();
  /** What transactions before this one wrote has been taken up; undefined before anything has. */
  let seen: string | undefined;
  /** Loaded, but not yet in force: their codes come first. */
  let next: readonly Structure[] | undefined;
  const load = async (): Promise<void> => {
    const changes = seen === undefined ? await readAll(database) : await readChanges(database, seen);
    if (await loadChanged(database, loaded, changes.rids)) {
      next = [...loaded.values()].flatMap(({ structure }) => structure ?? []);
      valueSets.want(boundValueSets(next));
    }
    seen = changes.seen;
    await valueSets.refresh();
    if (next !== undefined) profiles.replace(next);
    next = undefined;
  };
  return createLoadedFollower({ name: 'profiles', log, load });
}

interface Changes {
  readonly seen: string;
  readonly rids: readonly string[];
}

/** The moment comes first: what is committed in between is read twice. */
async function readAll(db: Queryable): Promise<Changes> {
  const { rows } = await db.query<{ seen: string }>('SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS seen');
  const { rows: all } = await db.query<{ rid: string }>(`SELECT rid FROM fhir_resource WHERE type = ${TYPE}`);
  return { seen: rows[0]?.seen ?? '0', rids: all.map(({ rid }) => rid) };
}

/**
 * What those transactions wrote that had not ended when `seen` was read, or began after it. What a restored database brings from
 * another server may bear numbers that are still to come here: it has been loaded with all others.
 */
async function readChanges(db: Queryable, seen: string): Promise<Changes> {
  const { rows } = await db.query<Changes>(
    {
      name: 'fhir_profile_changes',
      text: `SELECT pg_snapshot_xmin(now)::text AS seen, ARRAY(SELECT rid::text FROM fhir_profile_change
          WHERE changed_by >= $1::xid8 AND changed_by < pg_snapshot_xmax(now)) AS rids
        FROM pg_current_snapshot() AS now`,
    },
    [seen],
  );
  return rows[0] ?? { seen, rids: [] };
}

/** Whether any of them is another than before. */
async function loadChanged(db: Queryable, loaded: Map<string, Loaded>, rids: readonly string[]): Promise<boolean> {
  if (rids.length === 0) return false;
  const { rows } = await db.query<{ rid: string; version: number; deleted: boolean }>(
    `SELECT rid, version, deleted FROM fhir_resource WHERE type = ${TYPE} AND rid = ANY($1::uuid[])`,
    [rids],
  );
  const changed = rows.filter(({ rid, version }) => loaded.get(rid)?.version !== version);
  for (const { rid, version, deleted } of changed) if (deleted) loaded.set(rid, { version, structure: undefined });
  const wanted = changed.filter(({ deleted }) => !deleted).map(({ rid }) => rid);
  for (let start = 0; start < wanted.length; start += READ_AT_ONCE) {
    const { rows: found } = await db.query<{ rid: string; version: number; content: string }>(
      `SELECT rid, version, content FROM fhir_resource WHERE type = ${TYPE} AND rid = ANY($1::uuid[]) AND NOT deleted`,
      [wanted.slice(start, start + READ_AT_ONCE)],
    );
    for (const { rid, version, content } of found) loaded.set(rid, { version, structure: structureOf(content) });
  }
  return changed.length > 0;
}

function structureOf(content: string): Structure | undefined {
  const resource: unknown = JSON.parse(content);
  const isRetired =
    typeof resource === 'object' && resource !== null && 'status' in resource && resource.status === 'retired';
  return isRetired ? undefined : readStructure(resource);
}
