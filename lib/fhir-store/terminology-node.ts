// One node's part in the code systems, value sets and concept maps that users store: it looks every second whether one has been written, by
// whatever way, and loads what has changed (as it does with profiles: docs/adr/0014, docs/adr/0017).
import type { Database, Queryable } from '#lib/db/database.ts';
import { nameKey } from '#lib/fhir/search/keys.ts';
import { createLoadedFollower, type LoadedFollower } from '#lib/jobs/follower.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { Catalog } from '#lib/terminology/catalog/catalog.ts';
import { createStoredCatalog, type StoredCatalog } from '#lib/terminology/catalog/stored-catalog.ts';

/** Definitions read in one statement: they may be large. */
const READ_AT_ONCE = 20;
const TYPES = ['CodeSystem', 'ValueSet', 'ConceptMap'].map(nameKey).join(', ');

export interface TerminologyNode extends LoadedFollower {
  readonly catalog: Catalog;
}

export function createTerminologyNode({ database, log }: { database: Database; log: Logger }): TerminologyNode {
  const stored = createStoredCatalog();
  const versions = new Map<string, number>();
  let state = '';
  const load = async (): Promise<void> => {
    const latest = await readState(database);
    if (latest === state) return;
    await loadChanged(database, versions, stored);
    state = latest;
  };
  return { catalog: stored.catalog, ...createLoadedFollower({ name: 'terminology', log, load }) };
}

/** Another one after every create, update and delete of a definition. */
async function readState(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ state: string }>({
    name: 'fhir_definitions_state',
    text: `SELECT count(*) || ' ' || coalesce(sum(version), 0) AS state FROM fhir_resource WHERE type IN (${TYPES})`,
  });
  return rows[0]?.state ?? '';
}

async function loadChanged(db: Queryable, versions: Map<string, number>, stored: StoredCatalog): Promise<void> {
  const { rows } = await db.query<{ type: number; rid: string; version: number; deleted: boolean }>(
    `SELECT type, rid, version, deleted FROM fhir_resource WHERE type IN (${TYPES})`,
  );
  const changed = rows.filter(({ type, rid, version }) => versions.get(`${type} ${rid}`) !== version);
  for (const { type, rid, version, deleted } of changed) {
    if (!deleted) continue;
    stored.remove(`${type} ${rid}`);
    versions.set(`${type} ${rid}`, version);
  }
  const wanted = changed.filter(({ deleted }) => !deleted).map(({ rid }) => rid);
  for (let start = 0; start < wanted.length; start += READ_AT_ONCE) {
    const { rows: found } = await db.query<{ type: number; rid: string; version: number; content: string }>(
      `SELECT type, rid, version, content FROM fhir_resource WHERE type IN (${TYPES}) AND rid = ANY($1::uuid[]) AND NOT deleted`,
      [wanted.slice(start, start + READ_AT_ONCE)],
    );
    for (const { type, rid, version, content } of found) {
      stored.put(`${type} ${rid}`, JSON.parse(content));
      versions.set(`${type} ${rid}`, version);
    }
  }
}
