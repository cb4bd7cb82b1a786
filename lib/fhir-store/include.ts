// _include and _revinclude (hl7.org/fhir/R5/search.html#include): what the matches refer to, and what refers to them, as far as
// the caller may see it.
import type { Queryable } from '#lib/db/database.ts';
import { r5Definitions } from '#lib/fhir/definitions/definitions.ts';
import type { SearchParameter } from '#lib/fhir/search/definitions.ts';
import { nameKey, resourceKey } from '#lib/fhir/search/keys.ts';
import { isCanonicalOnly } from '#lib/fhir/search/parse-criterion.ts';
import type { Include } from '#lib/fhir/search/query.ts';
import { type Access, accessCondition } from './access.ts';
import { reusable, SqlValues } from './sql-values.ts';
import { type StoredVersion, toStoredVersion, type VersionRow, versionColumns } from './stored-version.ts';

/** More than this many included resources are not sent with one page. */
const MAX_INCLUDED = 1000;
const MAX_ROUNDS = 16;

/** The included resources, each once and none that is a match itself. */
export async function findIncluded(
  db: Queryable,
  matches: readonly StoredVersion[],
  includes: readonly Include[],
  access: Access,
): Promise<StoredVersion[]> {
  const known = new Set(matches.map(addressOf));
  const included: StoredVersion[] = [];
  let sources = matches;
  for (let round = 0; round < MAX_ROUNDS && sources.length > 0; round += 1) {
    const asked = round === 0 ? includes : includes.filter((include) => include.isIterated);
    const found: StoredVersion[] = [];
    for (const include of asked) {
      for (const version of await follow(db, sources, include, access)) {
        if (known.has(addressOf(version)) || included.length + found.length >= MAX_INCLUDED) continue;
        known.add(addressOf(version));
        found.push(version);
      }
    }
    included.push(...found);
    sources = found;
  }
  return included;
}

function addressOf({ resourceType, id }: StoredVersion): string {
  return `${resourceType}/${id}`;
}

async function follow(
  db: Queryable,
  sources: readonly StoredVersion[],
  include: Include,
  access: Access,
): Promise<StoredVersion[]> {
  const found: StoredVersion[] = [];
  if (include.direction === 'revinclude') {
    for (const type of new Set(sources.map((source) => source.resourceType))) {
      if (include.targetType !== undefined && include.targetType !== type) continue;
      found.push(
        ...(await referring(
          db,
          sources.filter((source) => source.resourceType === type),
          include,
          access,
        )),
      );
    }
    return found;
  }
  const from = sources.filter((source) => source.resourceType === include.parameter.resourceType);
  if (from.length === 0) return [];
  for (const type of include.targetType === undefined ? await targetTypes(db, from, include) : [include.targetType]) {
    found.push(...(await referred(db, from, { include, type }, access)));
  }
  return found;
}

/** The types that the sources really refer to, so that no type is asked for in vain. */
async function targetTypes(
  db: Queryable,
  sources: readonly StoredVersion[],
  { parameter }: Include,
): Promise<string[]> {
  if (isCanonicalOnly(parameter)) return canonicalTypes(db, sources, parameter);
  if (parameter.targets.length === 1) return [...parameter.targets];
  const { rows } = await db.query<{ target_type: number }>(
    'SELECT DISTINCT target_type FROM fhir_reference WHERE rid = ANY($1::uuid[]) AND param = $2 AND target_type <> 0',
    [sources.map(keyOf), parameter.key],
  );
  const wanted = new Set(rows.map((row) => row.target_type));
  return candidateTypes(parameter.targets, sources).filter((type) => wanted.has(nameKey(type)));
}

/** The types of what has the canonical URLs that the sources name. */
async function canonicalTypes(
  db: Queryable,
  sources: readonly StoredVersion[],
  { key, targets }: SearchParameter,
): Promise<string[]> {
  if (targets.length === 1) return [...targets];
  const candidates = targets.length > 0 ? targets : r5Definitions().resourceTypes;
  const byKey = new Map(candidates.map((type) => [nameKey(`${type}.url`), type]));
  const { rows } = await db.query<{ param: number }>(
    `SELECT DISTINCT t.param FROM fhir_uri l JOIN fhir_uri t ON t.value = l.value AND t.param = ANY($3::int[])
     WHERE l.rid = ANY($1::uuid[]) AND l.param = $2`,
    [sources.map(keyOf), key, [...byKey.keys()]],
  );
  return rows.flatMap(({ param }) => byKey.get(param) ?? []);
}

/** The named targets; where any type may be meant, the types named by the references in the texts. */
function candidateTypes(targets: readonly string[], sources: readonly StoredVersion[]): readonly string[] {
  if (targets.length > 0) return targets;
  const types = new Set<string>();
  for (const { content } of sources) {
    for (const match of content.matchAll(/"reference"\s*:\s*"([A-Z][A-Za-z]+)\//g)) types.add(match[1] ?? '');
  }
  return [...types];
}

async function referred(
  db: Queryable,
  sources: readonly StoredVersion[],
  { include, type }: { include: Include; type: string },
  access: Access,
): Promise<StoredVersion[]> {
  const values = new SqlValues();
  const rids = values.bind(sources.map(keyOf), 'uuid[]');
  const param = values.key(include.parameter.key);
  const links = isCanonicalOnly(include.parameter)
    ? `SELECT t.rid FROM fhir_uri l JOIN fhir_uri t ON t.value = l.value AND t.param = ${values.key(nameKey(`${type}.url`))}
         WHERE l.rid = ANY(${rids}) AND l.param = ${param}`
    : `SELECT l.target FROM fhir_reference l WHERE l.rid = ANY(${rids}) AND l.param = ${param} AND l.target_type = ${values.key(nameKey(type))}`;
  return select(db, type, `r.rid IN (${links})`, values, access);
}

async function referring(
  db: Queryable,
  targets: readonly StoredVersion[],
  { parameter }: Include,
  access: Access,
): Promise<StoredVersion[]> {
  const values = new SqlValues();
  const type = targets[0]?.resourceType ?? '';
  const param = values.key(parameter.key);
  const rids = values.bind(targets.map(keyOf), 'uuid[]');
  const links = isCanonicalOnly(parameter)
    ? `SELECT l.rid FROM fhir_uri t JOIN fhir_uri l ON l.value = t.value AND l.param = ${param}
         WHERE t.rid = ANY(${rids}) AND t.param = ${values.key(nameKey(`${type}.url`))}`
    : `SELECT l.rid FROM fhir_reference l WHERE l.param = ${param} AND l.target = ANY(${rids}) AND l.target_type = ${values.key(nameKey(type))}`;
  const condition = `r.rid IN (${links})`;
  return select(db, parameter.resourceType, condition, values, access);
}

async function select(
  db: Queryable,
  resourceType: string,
  condition: string,
  values: SqlValues,
  access: Access,
): Promise<StoredVersion[]> {
  const { rows } = await db.query<VersionRow>(
    reusable(`SELECT ${versionColumns('r')} FROM fhir_resource r
     WHERE r.type = ${values.key(nameKey(resourceType))} AND NOT r.deleted AND ${condition}
       AND ${accessCondition(access(resourceType), resourceType, 'r', values)}
     ORDER BY r.rid LIMIT ${MAX_INCLUDED}`),
    values.list,
  );
  return rows.map((row) => toStoredVersion(resourceType, row));
}

function keyOf({ id }: StoredVersion): string {
  return resourceKey(id);
}
