// Follows stored code systems, value sets and concept maps on one node: it polls every second for changes and loads
// them. A trigger notes each change with its transaction, so that a poll costs only what has changed (docs/adr/0014,
// docs/adr/0017).

import { nameKey } from '#fhir/search/extract/keys.ts';
import type { Catalog } from '#fhir/terminology/catalog/catalog.ts';
import { createStoredCatalog, type StoredCatalog } from '#fhir/terminology/catalog/stored-catalog.ts';
import { readChanges, readPosition } from '#lib/db/change-table.ts';
import type { Database, Queryable } from '#lib/db/database.ts';
import { createLoadedFollower, type LoadedFollower } from '#lib/jobs/follower.ts';
import type { Logger } from '#lib/log/logger.ts';
import { readDefinition } from '../read/definition-text.ts';

/** Definitions read in one statement: they may be large. */
const READ_AT_ONCE = 20;
const TYPES = ['CodeSystem', 'ValueSet', 'ConceptMap'].map(nameKey).join(', ');
const CHANGES = { table: 'fhir_definition_change', key: 'rid::text' };

export interface TerminologyNode extends LoadedFollower {
  readonly catalog: Catalog;
}

export function createTerminologyNode({ database, log }: { database: Database; log: Logger }): TerminologyNode {
  const stored = createStoredCatalog();
  const versions = new Map<string, number>();
  /** The position in the change table up to which changes are loaded; undefined before the first load. */
  let position: string | undefined;
  const load = async (): Promise<void> => {
    if (position === undefined) {
      const before = await readPosition(database, CHANGES);
      await loadChanged(database, versions, { stored, rows: await readHeads(database) });
      position = before;
      return;
    }
    const changes = await readChanges(database, CHANGES, position);
    if (changes.keys.length > 0) {
      await loadChanged(database, versions, { stored, rows: await readHeads(database, changes.keys) });
    }
    position = changes.position;
  };
  return { catalog: stored.catalog, ...createLoadedFollower({ name: 'terminology', log, load }) };
}

interface Head {
  readonly type: number;
  readonly rid: string;
  readonly version: number;
  readonly deleted: boolean;
}

/** Of those, or of all. */
async function readHeads(db: Queryable, rids?: readonly string[]): Promise<readonly Head[]> {
  const all = `SELECT type, rid, version, deleted FROM fhir_resource WHERE type IN (${TYPES})`;
  const { rows } =
    rids === undefined ? await db.query<Head>(all) : await db.query<Head>(`${all} AND rid = ANY($1::uuid[])`, [rids]);
  return rows;
}

async function loadChanged(
  db: Queryable,
  versions: Map<string, number>,
  { stored, rows }: { readonly stored: StoredCatalog; readonly rows: readonly Head[] },
): Promise<void> {
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
      const { resource, columns } = await readDefinition(db, content);
      stored.put(`${type} ${rid}`, resource, columns);
      versions.set(`${type} ${rid}`, version);
    }
  }
}
