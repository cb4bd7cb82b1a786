// One node's part in the profiles that users define: it looks every second whether a StructureDefinition has been written, by whatever way,
// and loads what has changed. The sum of all versions moves on with every write, so that one number tells (docs/adr/0014).
import type { Database, Queryable } from '#lib/db/database.ts';
import type { CustomProfiles } from '#lib/fhir/profiles/custom.ts';
import { readStructure, type Structure } from '#lib/fhir/profiles/structure.ts';
import { nameKey } from '#lib/fhir/search/keys.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';

const POLL_MS = 1_000;
/** Definitions read in one statement: they may be large. */
const READ_AT_ONCE = 50;
const TYPE = nameKey('StructureDefinition');

export interface ProfileNode extends Pick<WorkerLoop, 'wake' | 'stop'> {
  /** Loads what there is, then follows it. */
  start(): Promise<void>;
  /** Takes up what has been written until now. */
  refresh(): Promise<void>;
}

export interface ProfileNodeDependencies {
  readonly database: Database;
  readonly profiles: CustomProfiles;
  readonly log: Logger;
}

interface Loaded {
  readonly version: number;
  /** Undefined for what is no profile, retired or deleted. */
  readonly structure: Structure | undefined;
}

export function createProfileNode({ database, profiles, log }: ProfileNodeDependencies): ProfileNode {
  const loaded = new Map<string, Loaded>();
  let state = '';
  const load = async (): Promise<void> => {
    const latest = await readState(database);
    if (latest === state) return;
    await loadChanged(database, loaded);
    profiles.replace([...loaded.values()].flatMap(({ structure }) => structure ?? []));
    state = latest;
  };
  let last: Promise<void> = Promise.resolve();
  /** One after the other, so that nothing older takes the place of something newer. */
  const refresh = (): Promise<void> => {
    const next = last.then(load);
    last = next.catch(() => undefined);
    return next;
  };
  const follow = createWorkerLoop({
    name: 'profiles',
    intervalMs: POLL_MS,
    maxBackoffMs: POLL_MS,
    log,
    step: async () => {
      await refresh();
      return false;
    },
  });
  return {
    start: async () => {
      await refresh();
      follow.start();
    },
    refresh,
    wake: follow.wake,
    stop: follow.stop,
  };
}

/** Another one after every create, update and delete of a StructureDefinition. */
async function readState(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ state: string }>({
    name: 'fhir_profile_state',
    text: `SELECT count(*) || ' ' || coalesce(sum(version), 0) AS state FROM fhir_resource WHERE type = ${TYPE}`,
  });
  return rows[0]?.state ?? '';
}

async function loadChanged(db: Queryable, loaded: Map<string, Loaded>): Promise<void> {
  const { rows } = await db.query<{ rid: string; version: number; deleted: boolean }>(
    `SELECT rid, version, deleted FROM fhir_resource WHERE type = ${TYPE}`,
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
}

function structureOf(content: string): Structure | undefined {
  const resource: unknown = JSON.parse(content);
  const isRetired =
    typeof resource === 'object' && resource !== null && 'status' in resource && resource.status === 'retired';
  return isRetired ? undefined : readStructure(resource);
}
