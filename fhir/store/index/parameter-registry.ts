// Registers user-defined search parameters in the transaction that writes their SearchParameter, so that definition and
// resource commit together (decision E2, docs/adr/0004). A lock on the version lets changes go one at a time.

import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { type CustomParameter, keysOf, readCustomParameter } from '#fhir/search/parameters/custom-parameter.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { Queryable } from '#lib/db/database.ts';
import { notify } from '#lib/db/listener.ts';
import { ServiceError } from '#lib/errors.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import type { StoredVersion } from '../read/stored-version.ts';
import type { FhirStore } from '../store.ts';

const TYPE = 'SearchParameter';
/** So long after a change no node searches by the former definition any more. */
const SETTLE = '2 seconds';

interface KnownRow {
  readonly type: string;
  readonly code: string;
  readonly state: 'indexing' | 'searchable' | 'removing';
  readonly isSame: boolean;
}

/**
 * Wraps the store: writes of SearchParameters register what they define. Nodes are notified of a change on `channel`.
 */
export function withCustomParameters(store: FhirStore, official: SearchParameters, channel: string): FhirStore {
  const note = async (db: Queryable, version: StoredVersion | undefined): Promise<void> => {
    if (version?.resourceType !== TYPE) return;
    const resource = version.isDeleted ? undefined : await parseInSlices(version.content);
    const reading = isJsonObject(resource) ? readCustomParameter(resource, official) : undefined;
    await noteParameters(db, { id: version.id, parameters: reading?.parameters ?? [], channel });
  };
  return {
    ...store,
    create: async (db, input) => {
      const version = await store.create(db, input);
      await note(db, version);
      return version;
    },
    createMany: async (db, inputs, whenRead) => {
      const versions = await store.createMany(db, inputs, whenRead);
      for (const version of versions) if (version.resourceType === TYPE) await note(db, version);
      return versions;
    },
    update: async (tx, input) => {
      const outcome = await store.update(tx, input);
      await note(tx, outcome.version);
      return outcome;
    },
    // Undefined leaves a definition to a single update, so that a refusal fails alone.
    updateMany: async (tx, inputs, options) => {
      const plain = inputs.filter(({ resourceType }) => resourceType !== TYPE);
      const outcomes = new Map((await store.updateMany(tx, plain, options)).map((outcome, at) => [plain[at], outcome]));
      return inputs.map((input) => outcomes.get(input));
    },
    deleteMany: async (tx, inputs) => {
      const plain = inputs.filter(({ resourceType }) => resourceType !== TYPE);
      const outcomes = new Map((await store.deleteMany(tx, plain)).map((outcome, at) => [plain[at], outcome]));
      return inputs.map((input) => outcomes.get(input));
    },
    delete: async (tx, input) => {
      const version = await store.delete(tx, input);
      await note(tx, version);
      return version;
    },
  };
}

interface Noted {
  /** Id of the SearchParameter. */
  readonly id: string;
  readonly parameters: readonly CustomParameter[];
  readonly channel: string;
}

async function noteParameters(db: Queryable, { id, parameters, channel }: Noted): Promise<void> {
  const isUsed = async () =>
    (await db.query('SELECT FROM fhir_search_parameter WHERE resource_id = $1 LIMIT 1', [id])).rowCount > 0;
  if (parameters.length === 0 && !(await isUsed())) return;
  await db.query('SELECT FROM fhir_search_version FOR UPDATE');
  await requireFree(db, id, parameters);
  await requireDistinct(db, parameters);
  const known = await readKnown(db, id, parameters);
  const kept = new Set(known.flatMap((row) => (row.isSame && row.state !== 'removing' ? nameOf(row) : [])));
  const wanted = new Set(parameters.map(({ resourceType, code }) => nameOf({ type: resourceType, code })));
  const changed = parameters.filter(({ resourceType, code }) => !kept.has(nameOf({ type: resourceType, code })));
  const gone = known.filter((row) => row.state !== 'removing' && !wanted.has(nameOf(row)));
  if (changed.length === 0 && gone.length === 0) return;
  await insertChanged(db, id, changed);
  await markGone(db, gone);
  await db.query('UPDATE fhir_search_version SET version = version + 1, extraction = extraction + 1');
  await notify(db, channel);
}

function nameOf({ type, code }: { readonly type: string; readonly code: string }): string {
  return `${type}.${code}`;
}

/** @throws ServiceError `unprocessable` when another SearchParameter defines one of them */
async function requireFree(db: Queryable, id: string, parameters: readonly CustomParameter[]): Promise<void> {
  const { rows } = await db.query<{ type: string; code: string; resource_id: string }>(
    `SELECT type, code, resource_id FROM fhir_search_parameter
     JOIN unnest($1::text[], $2::text[]) AS wanted(type, code) USING (type, code)
     WHERE resource_id <> $3 AND state <> 'removing' ORDER BY type LIMIT 1`,
    [...columnsOf(parameters), id],
  );
  const [taken] = rows;
  if (taken === undefined) return;
  throw takenCode(`SearchParameter/${taken.resource_id} defines ${taken.code} of ${taken.type} already`);
}

/**
 * Checks the keys of the index, which are computed from names, so that two names may have the same key. The rows of a
 * removed parameter stay until its job is done. Keys of official parameters are checked by `readCustomParameter`.
 * @throws ServiceError `unprocessable` for a key of another parameter, even one that was deleted a moment ago
 */
async function requireDistinct(db: Queryable, parameters: readonly CustomParameter[]): Promise<void> {
  if (parameters.length === 0) return;
  const { rows } = await db.query<{ type: string; code: string }>('SELECT type, code FROM fhir_search_parameter');
  const names = [...rows, ...parameters.map(({ resourceType, code }) => ({ type: resourceType, code }))];
  const owners = new Map<number, string>();
  for (const name of names) {
    const own = nameOf(name);
    for (const key of keysOf(name.type, name.code)) {
      const owner = owners.get(key) ?? own;
      if (owner !== own) throw takenCode(`${own} cannot be told apart from ${owner} in the index: choose another code`);
      owners.set(key, own);
    }
  }
}

function takenCode(message: string): ServiceError {
  return new ServiceError('unprocessable', message, {
    issues: [{ message, field: 'SearchParameter.code', code: 'duplicate' }],
  });
}

async function readKnown(db: Queryable, id: string, parameters: readonly CustomParameter[]): Promise<KnownRow[]> {
  const { rows } = await db.query<KnownRow>(
    `SELECT k.type, k.code, k.state, coalesce(k.definition = wanted.definition, false) AS "isSame"
     FROM fhir_search_parameter k
     LEFT JOIN unnest($1::text[], $2::text[], $3::jsonb[]) AS wanted(type, code, definition) USING (type, code)
     WHERE k.resource_id = $4`,
    [...columnsOf(parameters), parameters.map((each) => JSON.stringify(each)), id],
  );
  return rows;
}

/** Takes over the rows of a parameter that another SearchParameter has given up and that are still to be removed. */
async function insertChanged(db: Queryable, id: string, changed: readonly CustomParameter[]): Promise<void> {
  await db.query(
    `WITH known AS (
       SELECT p.type, p.code, p.state FROM fhir_search_parameter p
       JOIN unnest($1::text[], $2::text[]) AS wanted(type, code) USING (type, code) FOR UPDATE OF p)
     INSERT INTO fhir_search_parameter (type, code, definition, resource_id, state, starts_at)
     SELECT type, code, definition, $4::text, 'indexing', statement_timestamp()
       + CASE WHEN known.state <> 'indexing' THEN interval '${SETTLE}' ELSE interval '0' END
     FROM unnest($1::text[], $2::text[], $3::jsonb[]) AS wanted(type, code, definition)
       LEFT JOIN known USING (type, code)
     ON CONFLICT (type, code) DO UPDATE SET definition = excluded.definition, resource_id = excluded.resource_id,
       starts_at = excluded.starts_at, state = 'indexing', fence = NULL, after = NULL, until = NULL, done = 0, total = 0, holder = NULL, leased_until = NULL`,
    [...columnsOf(changed), changed.map((each) => JSON.stringify(each)), id],
  );
}

async function markGone(db: Queryable, gone: readonly KnownRow[]): Promise<void> {
  await db.query(
    `UPDATE fhir_search_parameter AS p SET state = 'removing', starts_at = statement_timestamp() + interval '${SETTLE}',
       fence = NULL, after = NULL, until = NULL, holder = NULL, leased_until = NULL
     FROM unnest($1::text[], $2::text[]) AS gone(type, code) WHERE (p.type, p.code) = (gone.type, gone.code)`,
    [gone.map(({ type }) => type), gone.map(({ code }) => code)],
  );
}

function columnsOf(parameters: readonly CustomParameter[]): [types: string[], codes: string[]] {
  return [parameters.map(({ resourceType }) => resourceType), parameters.map(({ code }) => code)];
}
