// Reads the texts of many versions at once, by address and version number, current or not.

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import { plainArray } from '#lib/db/array-text.ts';
import type { PreparedStatement, Queryable } from '#lib/db/database.ts';

export interface VersionAddress {
  readonly resourceType: string;
  readonly id: string;
  readonly version: number;
}

/** The current versions are looked up first, and older ones only where there is no current one: most are current. */
const VERSIONS = `FROM unnest($1::int[], $2::uuid[], $3::int[]) WITH ORDINALITY AS k(type, rid, version, place)
    CROSS JOIN LATERAL (
      SELECT r.content, r.organisation FROM fhir_resource r WHERE r.type = k.type AND r.rid = k.rid AND r.version = k.version
      UNION ALL
      SELECT h.content, h.organisation FROM fhir_history h WHERE h.type = k.type AND h.rid = k.rid AND h.version = k.version
      LIMIT 1
    ) v`;

const TEXTS: PreparedStatement = {
  name: 'fhir_version_owned_texts',
  text: `SELECT k.place::int AS place, v.content, v.organisation ${VERSIONS}`,
};

/**
 * A Patient without the member `link` refers to no other Patient by what the compartment is made of
 * (hl7.org/fhir/R5/compartmentdefinition-patient.html). The name of the member may be escaped.
 */
const LINKING_TEXTS: PreparedStatement = {
  name: 'fhir_version_linking_texts',
  text: `SELECT k.place::int AS place, v.organisation,
    CASE WHEN k.type <> ${nameKey('Patient')} OR strpos(v.content, '"link"') > 0 OR strpos(v.content, '\\u') > 0 THEN v.content END AS content
    ${VERSIONS}`,
};

/** A version's text, and the organisation that it belongs to. */
export interface OwnedText {
  readonly content: string;
  readonly organisation: string | null;
}

/** The texts of the versions in the order of `wanted`; undefined for what is not there. Access is not looked at. */
export function findTexts(db: Queryable, wanted: readonly VersionAddress[]): Promise<(OwnedText | undefined)[]> {
  return findBy(db, TEXTS, wanted);
}

/** As {@link OwnedText}; the text is null of a Patient that lies in no other Patient's compartment. */
export type LinkingText = Omit<OwnedText, 'content'> & { readonly content: string | null };

/**
 * The texts by which compartments are found, in the order of `wanted`; undefined for what is not there. Most Patients
 * lie in their own alone, and their texts are not read.
 */
export function findLinkingTexts(
  db: Queryable,
  wanted: readonly VersionAddress[],
): Promise<(LinkingText | undefined)[]> {
  return findBy(db, LINKING_TEXTS, wanted);
}

async function findBy<T extends LinkingText>(
  db: Queryable,
  statement: PreparedStatement,
  wanted: readonly VersionAddress[],
): Promise<(T | undefined)[]> {
  if (wanted.length === 0) return [];
  const { rows } = await db.query<T & { readonly place: number }>(statement, [
    plainArray(wanted.map(({ resourceType }) => nameKey(resourceType))),
    plainArray(wanted.map(({ id }) => resourceKey(id))),
    plainArray(wanted.map(({ version }) => version)),
  ]);
  const found: (T | undefined)[] = wanted.map(() => undefined);
  for (const row of rows) found[row.place - 1] = row;
  return found;
}
