// Follows user-defined profiles on one node: it polls every second for StructureDefinitions that were written, and
// loads them. A trigger notes each change with its transaction, so that a poll costs only what has changed
// (docs/adr/0014).

import type { CustomProfiles } from '#fhir/profiles/custom.ts';
import { readStructureInSlices, type Structure } from '#fhir/profiles/snapshot/structure.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { type Changes, readChanges, readPosition } from '#lib/db/change-table.ts';
import type { Database, Queryable } from '#lib/db/database.ts';
import { createLoadedFollower, type LoadedFollower } from '#lib/jobs/follower.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import { createSlices, type Slices } from '#lib/jobs/slices.ts';
import type { Logger } from '#lib/log/logger.ts';

/** Definitions read in one statement: they may be large. */
const READ_AT_ONCE = 50;
const TYPE = nameKey('StructureDefinition');
const CHANGES = { table: 'fhir_profile_change', key: 'rid::text' };

export interface ProfileNodeDependencies {
  readonly database: Database;
  readonly profiles: Pick<CustomProfiles, 'replace'>;
  readonly log: Logger;
}

interface Loaded {
  readonly version: number;
  /** Undefined for what is no profile, retired or deleted. */
  readonly structure: Structure | undefined;
}

export function createProfileNode({ database, profiles, log }: ProfileNodeDependencies): LoadedFollower {
  const loaded = new Map<string, Loaded>();
  /** What transactions before this one wrote has been taken up; undefined before anything has. */
  let position: string | undefined;
  const load = async (): Promise<void> => {
    const changes = position === undefined ? await readAll(database) : await readChanges(database, CHANGES, position);
    if (await loadChanged(database, loaded, changes.keys)) {
      profiles.replace([...loaded.values()].flatMap(({ structure }) => structure ?? []));
    }
    position = changes.position;
  };
  return createLoadedFollower({ name: 'profiles', log, load });
}

/** The position comes first: what is committed in between is read twice. */
async function readAll(db: Queryable): Promise<Changes> {
  const position = await readPosition(db, CHANGES);
  const { rows: all } = await db.query<{ rid: string }>(`SELECT rid FROM fhir_resource WHERE type = ${TYPE}`);
  return { position, keys: all.map(({ rid }) => rid) };
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
  const slices = createSlices();
  const wanted = changed.filter(({ deleted }) => !deleted).map(({ rid }) => rid);
  for (let start = 0; start < wanted.length; start += READ_AT_ONCE) {
    const { rows: found } = await db.query<{ rid: string; version: number; content: string }>(
      `SELECT rid, version, content FROM fhir_resource WHERE type = ${TYPE} AND rid = ANY($1::uuid[]) AND NOT deleted`,
      [wanted.slice(start, start + READ_AT_ONCE)],
    );
    for (const { rid, version, content } of found) {
      loaded.set(rid, { version, structure: await structureOf(content, slices) });
      await slices.rest();
    }
  }
  return changed.length > 0;
}

async function structureOf(content: string, slices: Slices): Promise<Structure | undefined> {
  const resource = await parseInSlices(content, { slices });
  const isRetired =
    typeof resource === 'object' && resource !== null && 'status' in resource && resource.status === 'retired';
  return isRetired ? undefined : readStructureInSlices(resource, slices);
}
