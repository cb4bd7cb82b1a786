// Reads the texts of many versions at once, by address and version number, current or not.

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { PreparedStatement, Queryable } from '#lib/db/database.ts';

export interface VersionAddress {
  readonly resourceType: string;
  readonly id: string;
  readonly version: number;
}

const TEXTS: PreparedStatement = {
  name: 'fhir_version_owned_texts',
  text: `SELECT k.place::int AS place, v.content, v.organisation
    FROM unnest($1::int[], $2::uuid[], $3::int[]) WITH ORDINALITY AS k(type, rid, version, place)
    CROSS JOIN LATERAL (
      SELECT r.content, r.organisation FROM fhir_resource r WHERE r.type = k.type AND r.rid = k.rid AND r.version = k.version
      UNION ALL
      SELECT h.content, h.organisation FROM fhir_history h WHERE h.type = k.type AND h.rid = k.rid AND h.version = k.version
    ) v`,
};

/** A version's text, and the organisation that it belongs to. */
export interface OwnedText {
  readonly content: string;
  readonly organisation: string | null;
}

/** The texts of the versions in the order of `wanted`; undefined for what is not there. Access is not looked at. */
export async function findTexts(db: Queryable, wanted: readonly VersionAddress[]): Promise<(OwnedText | undefined)[]> {
  if (wanted.length === 0) return [];
  const { rows } = await db.query<OwnedText & { readonly place: number }>(TEXTS, [
    wanted.map(({ resourceType }) => nameKey(resourceType)),
    wanted.map(({ id }) => resourceKey(id)),
    wanted.map(({ version }) => version),
  ]);
  const texts = new Map(rows.map(({ place, content, organisation }) => [place - 1, { content, organisation }]));
  return wanted.map((_, index) => texts.get(index));
}
