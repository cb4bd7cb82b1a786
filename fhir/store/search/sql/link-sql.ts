// How a parameter leads from one resource to another, as SQL: by references, or by canonical URLs with the versions
// that they name (hl7.org/fhir/R5/references.html#canonical).

import { nameKey } from '#fhir/search/extract/keys.ts';
import type { SearchParameter } from '#fhir/search/parameters/definitions.ts';
import type { SqlValues } from './sql-values.ts';

/** Index rows that hold both ends of a link. */
export interface LinkRows {
  /** What is behind FROM. */
  readonly from: string;
  /** The key of what refers. */
  readonly source: string;
  /** The key of what is referred to. */
  readonly target: string;
  readonly condition: string;
}

const CANONICALS: ReadonlySet<string> = new Set(['canonical', 'uri', 'url']);

/** The ways by which the parameter leads to resources of a type; `alias` begins the names of their tables. */
export function linkRows(
  parameter: SearchParameter,
  targetType: string,
  alias: string,
  values: SqlValues,
): readonly LinkRows[] {
  const types = parameter.branches.map(([type = '']) => type);
  const ways: LinkRows[] = [];
  if (types.length === 0 || types.some((type) => !CANONICALS.has(type)))
    ways.push(referenceRows(parameter, targetType, alias, values));
  if (types.some((type) => CANONICALS.has(type))) ways.push(canonicalRows(parameter, targetType, alias, values));
  return ways;
}

function referenceRows({ key }: SearchParameter, targetType: string, alias: string, values: SqlValues): LinkRows {
  return {
    from: `fhir_reference ${alias}`,
    source: `${alias}.rid`,
    target: `${alias}.target`,
    condition: `${alias}.param = ${values.key(key)} AND ${alias}.target_type = ${values.key(nameKey(targetType))}`,
  };
}

/** A canonical that names a version is in the index with it and without (`url|1` and `url`). */
function canonicalRows({ key }: SearchParameter, targetType: string, alias: string, values: SqlValues): LinkRows {
  const [use, own, named] = [`${alias}u`, `${alias}o`, `${alias}n`];
  const uses = values.key(key);
  const version = `SELECT v.code FROM fhir_token v WHERE v.rid = ${own}.rid AND v.param = ${values.key(nameKey(`${targetType}.version`))} LIMIT 1`;
  const versions = `FROM fhir_uri ${named} WHERE ${named}.rid = ${use}.rid AND ${named}.param = ${uses}
    AND starts_with(${named}.value, ${own}.value || '|')`;
  // What has no version is meant by every one; the row `url|` says that the URL is there without a version, too.
  const isMeant = `(NOT EXISTS (SELECT ${versions}) OR EXISTS (SELECT ${versions}
    AND ${named}.value IN (${own}.value || '|', coalesce(${own}.value || '|' || (${version}), ${named}.value))))`;
  return {
    from: `fhir_uri ${use} JOIN fhir_uri ${own} ON ${own}.value = ${use}.value`,
    source: `${use}.rid`,
    target: `${own}.rid`,
    condition: `${use}.param = ${uses} AND ${own}.param = ${values.key(nameKey(`${targetType}.url`))} AND ${isMeant}`,
  };
}
