// _include and _revinclude (hl7.org/fhir/R5/search.html#include): the visible resources that the matches
// refer to, or that refer to them. All includes are one statement; :iterate adds one for each step.

import { r5Definitions } from '#fhir/definitions/definitions.ts';
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { SearchParameter } from '#fhir/search/parameters/definitions.ts';
import { isCanonicalOnly } from '#fhir/search/parse/parse-criterion.ts';
import type { Include } from '#fhir/search/parse/query.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Access, groupByAccess } from '../access.ts';
import { fillTexts, PAGE_LENGTH, shortColumns, type TypedShortRow } from '../read/long-texts.ts';
import { type FoundRows, meantVersions, pinVersions } from '../read/pinned-versions.ts';
import { addressOf, type ShownVersion, type StoredVersion, toTypedVersion, typeNames } from '../read/stored-version.ts';
import { reusable, SqlValues } from './sql/sql-values.ts';

/** More than this many included resources are not sent with one page. */
const MAX_INCLUDED = 1000;
/** `:iterate` follows so many references one after the other. */
export const MAX_ROUNDS = 16;

/**
 * Why some of what would be included is left out: it is more, or longer, than one answer holds, or too many references
 * away.
 */
export type IncludeCut = 'size' | 'depth';

export interface Included {
  readonly versions: readonly StoredVersion[];
  /** Undefined when all of it is sent. */
  readonly cut: IncludeCut | undefined;
}

/** The included resources, each once and none that is a match itself. */
export async function findIncluded(
  db: Queryable,
  matches: readonly ShownVersion[],
  includes: readonly Include[],
  access: Access,
): Promise<Included> {
  // Most searches have no includes.
  if (includes.length === 0) return { versions: [], cut: undefined };
  const known = new Set(matches.map(addressOf));
  const included: StoredVersion[] = [];
  let sources: readonly ShownVersion[] = matches;
  let isCut = false;
  let left = PAGE_LENGTH;
  for (let round = 0; sources.length > 0; round += 1) {
    const asked = round === 0 ? includes : includes.filter((include) => include.isIterated);
    const { meant, isWhole } = await findStep(db, { sources, includes: asked, access, known, left });
    // Only this step shows whether there would be more.
    if (round === MAX_ROUNDS) return { versions: included, cut: cutOf(isCut, meant.length > 0 || !isWhole) };
    const found = meant.slice(0, MAX_INCLUDED - included.length);
    isCut = isCut || !isWhole || found.length < meant.length;
    for (const version of found) known.add(addressOf(version));
    left -= found.reduce((length, { content }) => length + content.length, 0);
    included.push(...found);
    sources = found;
  }
  return { versions: included, cut: cutOf(isCut, false) };
}

function cutOf(isCut: boolean, isDeep: boolean): IncludeCut | undefined {
  if (isCut) return 'size';
  return isDeep ? 'depth' : undefined;
}

interface Step {
  readonly sources: readonly ShownVersion[];
  readonly includes: readonly Include[];
  readonly access: Access;
  /** The addresses of matches and of what is included already. */
  readonly known: ReadonlySet<string>;
  /** The length that the texts may have together. */
  readonly left: number;
}

interface Found {
  readonly meant: readonly StoredVersion[];
  /** Whether all texts were short enough. */
  readonly isWhole: boolean;
}

/**
 * The resources to which the includes lead from the sources, without those that are known: in the versions that they
 * name, as many as fit.
 */
async function findStep(db: Queryable, step: Step): Promise<Found> {
  const { sources, includes, access, known, left } = step;
  const { rows, names } = await follow(db, step);
  const nameOf = ({ type }: TypedShortRow) => names.get(type) ?? '';
  const others = rows.filter((row) => !known.has(`${nameOf(row)}/${row.id ?? row.rid}`));
  const pinned = await pinVersions(db, sources, { rows: others, names }, access);
  const filled = await fillTexts(db, pinned, { typeOf: nameOf, length: left });
  const versions = filled.map((row) => toTypedVersion(row, names));
  return { meant: meantVersions(versions, sources, includes), isWhole: filled.length === pinned.length };
}

/** The rows to which the includes lead from the sources, each once, in the order of the includes. */
async function follow(db: Queryable, { sources, includes, access, known }: Step): Promise<FoundRows> {
  // The database does not know which of its results are known already.
  const limit = MAX_INCLUDED + known.size + 1;
  const values = new SqlValues();
  const links = includes.flatMap((include) => linksOf(include, sources, values));
  if (links.length === 0) return { rows: [], names: new Map() };
  const names = typeNames([...new Set(links.flatMap(({ types }) => types))]);
  const seen = groupByAccess([...names.values()], access).map(({ types, condition }) => {
    const ofTypes = types.length === names.size ? 'TRUE' : `f.type = ANY(${values.bind(types.map(nameKey), 'int[]')})`;
    return `${ofTypes} AND ${condition('f', values)}`;
  });
  if (seen.length === 0) return { rows: [], names };
  const keys = links
    .map(({ sql }, order) => `SELECT ${order} AS place, k.type, k.rid FROM (${sql}) k`)
    .join(' UNION ALL ');
  const text = `SELECT r.* FROM (SELECT l.type, l.rid, min(l.place) AS place FROM (${keys}) l GROUP BY l.type, l.rid OFFSET 0) k
    CROSS JOIN LATERAL (SELECT f.type, ${shortColumns('f')} FROM fhir_resource f
      WHERE f.type = k.type AND f.rid = k.rid AND NOT f.deleted AND (${seen.join(' OR ')}) OFFSET 0) r
    ORDER BY k.place, k.rid LIMIT ${values.bind(limit, 'bigint')}`;
  const { rows } = await db.query<TypedShortRow>(reusable(text), values.list);
  return { rows, names };
}

/** The keys (`type`, `rid`) that links lead to, and the types that these may have. */
interface Links {
  readonly sql: string;
  readonly types: readonly string[];
}

function linksOf(asked: Include, sources: readonly ShownVersion[], values: SqlValues): Links[] {
  const { parameter } = asked;
  if (parameter === undefined)
    return [asked.keys === undefined ? linksFromAny(sources, values) : linksToAny(asked.keys, sources, values)];
  const include = { ...asked, parameter };
  if (include.direction === 'include') {
    const from = sources.filter(({ resourceType }) => resourceType === include.parameter.resourceType);
    return from.length === 0 ? [] : [linksFrom(include, from, values)];
  }
  const targets = Map.groupBy(sources, ({ resourceType }) => resourceType);
  return [...targets]
    .filter(([type]) => include.targetType === undefined || include.targetType === type)
    .map(([type, of]) => linksTo(include, { type, sources: of }, values));
}

/** What any reference of the sources leads to. */
function linksFromAny(sources: readonly ShownVersion[], values: SqlValues): Links {
  const sql = `SELECT l.target_type AS type, l.target AS rid FROM fhir_reference l
    WHERE (l.rid, l.type) IN (${addresses(sources, values)}) AND l.target_type <> 0`;
  return { sql, types: r5Definitions().resourceTypes };
}

/** What refers to one of the sources by a parameter with one of the keys. */
function linksToAny(keys: readonly number[], sources: readonly ShownVersion[], values: SqlValues): Links {
  const sql = `SELECT l.type, l.rid FROM fhir_reference l
    WHERE l.param = ANY(${values.bind(keys, 'int[]')}) AND l.target = ANY(${values.bind(sources.map(keyOf), 'uuid[]')})
      AND (l.target, l.target_type) IN (${addresses(sources, values)})`;
  return { sql, types: r5Definitions().resourceTypes };
}

function addresses(sources: readonly ShownVersion[], values: SqlValues): string {
  const types = sources.map(({ resourceType }) => nameKey(resourceType));
  return `SELECT * FROM unnest(${values.bind(sources.map(keyOf), 'uuid[]')}, ${values.bind(types, 'int[]')})`;
}

/** An include of one parameter. */
type OneInclude = Include & { readonly parameter: SearchParameter };

/** What the sources, all of one type, refer to. */
function linksFrom({ parameter, targetType }: OneInclude, sources: readonly ShownVersion[], values: SqlValues): Links {
  const rids = values.bind(sources.map(keyOf), 'uuid[]');
  const param = values.key(parameter.key);
  const named = parameter.targets.length > 0 ? parameter.targets : r5Definitions().resourceTypes;
  const types = targetType === undefined ? named : [targetType];
  if (isCanonicalOnly(parameter)) {
    const urls = anyKey(
      types.map((type) => `${type}.url`),
      values,
    );
    const sql = `SELECT t.type, t.rid FROM fhir_uri l JOIN fhir_uri t ON t.value = l.value AND t.param ${urls}
      WHERE l.rid = ANY(${rids}) AND l.param = ${param}`;
    return { sql, types };
  }
  const sql = `SELECT l.target_type AS type, l.target AS rid FROM fhir_reference l
    WHERE l.rid = ANY(${rids}) AND l.param = ${param} AND l.target_type ${anyKey(types, values)}`;
  return { sql, types };
}

/** What refers to the sources, all of the given type. */
function linksTo(
  { parameter }: OneInclude,
  { type, sources }: { readonly type: string; readonly sources: readonly ShownVersion[] },
  values: SqlValues,
): Links {
  const rids = values.bind(sources.map(keyOf), 'uuid[]');
  const param = values.key(parameter.key);
  const types = [parameter.resourceType];
  const own = `${values.key(nameKey(parameter.resourceType))} AS type`;
  if (isCanonicalOnly(parameter)) {
    const sql = `SELECT ${own}, l.rid FROM fhir_uri t JOIN fhir_uri l ON l.value = t.value AND l.param = ${param}
      WHERE t.rid = ANY(${rids}) AND t.param = ${values.key(nameKey(`${type}.url`))}`;
    return { sql, types };
  }
  const sql = `SELECT ${own}, l.rid FROM fhir_reference l
    WHERE l.param = ${param} AND l.target = ANY(${rids}) AND l.target_type = ${values.key(nameKey(type))}`;
  return { sql, types };
}

/** Many names are bound as one list, so that the statement stays short. */
function anyKey(names: readonly string[], values: SqlValues): string {
  const [only] = names;
  if (only !== undefined && names.length === 1) return `= ${values.key(nameKey(only))}`;
  return `= ANY(${values.bind(names.map(nameKey), 'int[]')})`;
}

function keyOf({ id }: ShownVersion): string {
  return resourceKey(id);
}
