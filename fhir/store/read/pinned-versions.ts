// Includes by versioned references (hl7.org/fhir/R5/references.html#Reference, #canonical): the named version is
// included in place of the current one.

import { parameterElements } from '#fhir/search/extract/branch-values.ts';
import { record } from '#fhir/search/extract/values.ts';
import type { SearchParameter } from '#fhir/search/parameters/definitions.ts';
import { isCanonicalOnly } from '#fhir/search/parse/parse-criterion.ts';
import type { Include } from '#fhir/search/parse/query.ts';
import type { Queryable } from '#lib/db/database.ts';
import type { Access } from '../access.ts';
import { shortColumns, type TypedShortRow } from './long-texts.ts';
import { addressOf, type ShownVersion, type StoredVersion } from './stored-version.ts';

const REFERENCE = /"reference"\s*:\s*"(?:[^"]*\/)?([A-Z][A-Za-z]+)\/([A-Za-z0-9.-]{1,64})(?:\/_history\/(\d{1,9}))?"/g;

/** Rows of any type, with the names of their types by their keys. */
export interface FoundRows {
  readonly rows: readonly TypedShortRow[];
  readonly names: ReadonlyMap<number, string>;
}

/**
 * What was found, in the versions by which the sources refer to it; the current one where some name none, or several. A
 * patient sees the current one: of older ones it is not known here whose they were.
 */
export async function pinVersions(
  db: Queryable,
  sources: readonly ShownVersion[],
  { rows: found, names }: FoundRows,
  access: Access,
): Promise<readonly TypedShortRow[]> {
  const asked = versionsReferredTo(sources);
  const pinned = found.flatMap((current) => {
    const resourceType = names.get(current.type) ?? '';
    const version = asked.get(`${resourceType}/${current.id ?? current.rid}`);
    const isOld = version !== undefined && version < current.version;
    const { kind } = access(resourceType);
    return isOld && (kind === 'all' || kind === 'organisations') ? [{ current, version }] : [];
  });
  if (pinned.length === 0) return found;
  const { rows } = await db.query<TypedShortRow>(
    {
      name: 'fhir_pinned_versions',
      text: `SELECT h.type, ${shortColumns('h')} FROM fhir_history h
        JOIN unnest($1::int[], $2::uuid[], $3::int[]) t(type, rid, version) USING (type, rid, version) WHERE NOT h.deleted`,
    },
    [
      pinned.map(({ current }) => current.type),
      pinned.map(({ current }) => current.rid),
      pinned.map(({ version }) => version),
    ],
  );
  const keyOf = ({ type, rid }: TypedShortRow) => `${type}/${rid}`;
  const old = new Map(rows.map((row) => [keyOf(row), row]));
  return found.map((current) => old.get(keyOf(current)) ?? current);
}

/** The version by which all references name a resource; none for one that is also named without. */
function versionsReferredTo(sources: readonly ShownVersion[]): Map<string, number> {
  const named = new Map<string, Set<number>>();
  if (!sources.some(({ content }) => content.includes('/_history/'))) return new Map();
  for (const { content } of sources) {
    for (const [, type, id, version] of content.matchAll(REFERENCE)) {
      const address = `${type}/${id}`;
      named.set(address, (named.get(address) ?? new Set()).add(Number(version ?? 0)));
    }
  }
  return new Map(
    [...named].flatMap(([address, versions]): [string, number][] => {
      const [only = 0] = versions;
      return versions.size === 1 && only > 0 ? [[address, only]] : [];
    }),
  );
}

/**
 * Without the versions of definitions that nobody meant: a canonical URL that names a version leads to that one alone.
 * What is found by a reference to its id stays.
 */
export function meantVersions(
  found: readonly StoredVersion[],
  sources: readonly ShownVersion[],
  includes: readonly Include[],
): readonly StoredVersion[] {
  const canonical = includes.flatMap(({ direction, parameter }) =>
    parameter !== undefined && isCanonicalOnly(parameter) ? [{ direction, parameter }] : [],
  );
  if (canonical.length === 0) return found;
  return found.filter((version) => {
    const refers = (from: ShownVersion, to: ShownVersion) => from.content.includes(addressOf(to));
    if (sources.some((source) => refers(source, version) || refers(version, source))) return true;
    return canonical.some(({ direction, parameter }) =>
      direction === 'include'
        ? isNamed(version, sources, parameter)
        : sources.some((source) => isNamed(source, [version], parameter)),
    );
  });
}

/** Whether one of the sources means this version of a definition by the parameter: it names no version, or this one. */
function isNamed(definition: ShownVersion, sources: readonly ShownVersion[], parameter: SearchParameter): boolean {
  const { url, version } = record(JSON.parse(definition.content));
  return sources
    .filter(({ resourceType }) => resourceType === parameter.resourceType)
    .flatMap(({ content }) => parameterElements(JSON.parse(content), parameter))
    .some((element) => {
      const [named, wanted] = typeof element === 'string' ? element.replace(/#.*$/, '').split('|') : [];
      return named === url && (wanted === undefined || typeof version !== 'string' || wanted === version);
    });
}
