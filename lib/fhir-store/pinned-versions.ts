// References that name a version (hl7.org/fhir/R5/references.html#Reference, #canonical): the version that was meant is included, not
// whatever is current.
import type { Queryable } from '#lib/db/database.ts';
import type { SearchParameter } from '#lib/fhir/search/definitions.ts';
import { nameKey, resourceKey } from '#lib/fhir/search/keys.ts';
import { isCanonicalOnly } from '#lib/fhir/search/parse-criterion.ts';
import type { Include } from '#lib/fhir/search/query.ts';
import { record } from '#lib/fhir/search/values.ts';
import { parameterElements } from '#lib/fhir/search/walks.ts';
import type { Access } from './access.ts';
import {
  addressOf,
  type ShownVersion,
  type StoredVersion,
  type TypedVersionRow,
  toTypedVersion,
  typeNames,
  versionColumns,
} from './stored-version.ts';

const REFERENCE = /"reference"\s*:\s*"(?:[^"]*\/)?([A-Z][A-Za-z]+)\/([A-Za-z0-9.-]{1,64})(?:\/_history\/(\d{1,9}))?"/g;

/**
 * What was found, in the versions by which the sources refer to it; the current one where some name none, or several. A patient sees the
 * current one: of older ones it is not known here whose they were.
 */
export async function pinVersions(
  db: Queryable,
  sources: readonly ShownVersion[],
  found: readonly StoredVersion[],
  access: Access,
): Promise<StoredVersion[]> {
  const asked = askedVersions(sources);
  const pinned = found.flatMap((current) => {
    const version = asked.get(`${current.resourceType}/${current.id}`);
    const isOld = version !== undefined && version < current.version;
    const { kind } = access(current.resourceType);
    return isOld && (kind === 'all' || kind === 'organisations') ? [{ current, version }] : [];
  });
  if (pinned.length === 0) return [...found];
  const names = typeNames(pinned.map(({ current }) => current.resourceType));
  const { rows } = await db.query<TypedVersionRow>(
    {
      name: 'fhir_pinned_versions',
      text: `SELECT h.type, ${versionColumns('h')} FROM fhir_history h
        JOIN unnest($1::int[], $2::uuid[], $3::int[]) t(type, rid, version) USING (type, rid, version) WHERE NOT h.deleted`,
    },
    [
      pinned.map(({ current }) => nameKey(current.resourceType)),
      pinned.map(({ current }) => resourceKey(current.id)),
      pinned.map(({ version }) => version),
    ],
  );
  const old = new Map(rows.map((row) => toTypedVersion(row, names)).map((each) => [addressOf(each), each]));
  return found.map((current) => old.get(addressOf(current)) ?? current);
}

/** The version by which all references name a resource; none for one that is also named without. */
function askedVersions(sources: readonly ShownVersion[]): Map<string, number> {
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
 * Without the versions of definitions that nobody meant: a canonical URL that names a version leads to that one alone. What is found by a
 * reference to its id stays.
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
