// SQL that finds the patient records of one person for the consent gate (decision D7), in the tables of the FHIR store.

import { isObject, objectsOf } from '#fhir/json/objects.ts';
import { isFhirId } from '#fhir/primitives/primitives.ts';
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { Queryable } from '#lib/db/database.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import { isFollowed, type PatientLink, type PatientRecord, type Person, personOf } from './person.ts';

interface Row {
  id: string;
  organisation: string | null;
  content: string;
}

const COLUMNS = 'coalesce(r.id, r.rid::text) AS id, r.organisation, r.content';
/** The records of these keys that exist. */
const NAMED = `SELECT ${COLUMNS} FROM fhir_resource r WHERE r.type = $1 AND r.rid = ANY($2::uuid[]) AND NOT r.deleted`;
/**
 * The records that name those as the same person and belong to the same organisation. Those of other organisations
 * count for nothing, and may be many.
 */
const REFERRING = `SELECT ${COLUMNS} FROM fhir_reference i
  JOIN fhir_resource t ON t.type = $1 AND t.rid = i.target AND NOT t.deleted
  JOIN fhir_resource r ON r.type = $1 AND r.rid = i.rid AND NOT r.deleted AND r.organisation IS NOT DISTINCT FROM t.organisation
  WHERE i.param = $3 AND i.target = ANY($2::uuid[]) AND i.target_type = $1`;

/** The name of an element may be written with escapes, so a record with an escape is read too. */
const LINKED = {
  name: 'consent-linked-patients',
  text: `${NAMED} AND (r.content LIKE '%"link"%' OR r.content LIKE '%\\\\u00%') UNION ALL ${REFERRING}`,
};
const AROUND = { name: 'consent-patients-around', text: `${NAMED} UNION ALL ${REFERRING}` };

/**
 * Each of these patients with all records of the same person. Most patients have no link and are returned alone. It
 * follows only links that count, and stops at the most records that a person may have. `baseUrl` is this server's: an
 * absolute address below it names a record here.
 */
export async function findPersons(
  db: Queryable,
  patientGuids: readonly string[],
  baseUrl: string | undefined,
): Promise<ReadonlyMap<string, Person>> {
  const records = new Map<string, PatientRecord>();
  const persons = () => new Map(patientGuids.map((guid) => [guid, personOf(guid, records)]));
  const ask = async (statement: typeof LINKED, ids: readonly string[]) => {
    const keys = ids.filter(isFhirId).map(resourceKey);
    const { rows } = await db.query<Row>(statement, [nameKey('Patient'), keys, nameKey('Patient.link')]);
    const slices = createSlices();
    const found: PatientRecord[] = [];
    for (const { content, ...row } of rows) {
      const resource = await parseInSlices(content, { slices });
      found.push(toRecord({ ...row, resource }, baseUrl));
      await slices.rest();
    }
    return found;
  };
  const linked = await ask(LINKED, patientGuids);
  if (linked.every(({ links }) => links.length === 0)) return persons();
  const asked = new Set<string>();
  for (let level: ReadonlySet<string> = new Set(patientGuids); ; ) {
    for (const record of await ask(AROUND, [...level])) records.set(record.id, record);
    for (const id of level) asked.add(id);
    const found = persons();
    level = new Set(
      [...found.values()].filter(isFollowed).flatMap(({ own, others }) => [...own, ...others]),
    ).difference(asked);
    if (level.size === 0) return found;
  }
}

function toRecord(
  { id, organisation, resource }: Omit<Row, 'content'> & { readonly resource: unknown },
  baseUrl: string | undefined,
): PatientRecord {
  const links = isObject(resource) ? objectsOf(resource['link']) : [];
  return { id, organisation, links: links.flatMap((link) => toLink(link, baseUrl) ?? []) };
}

function toLink(link: Readonly<Record<string, unknown>>, baseUrl: string | undefined): PatientLink | undefined {
  const { type, other } = link;
  if (type !== 'replaced-by' && type !== 'replaces') return undefined;
  const text = isObject(other) && typeof other['reference'] === 'string' ? other['reference'] : '';
  const local = baseUrl !== undefined && text.startsWith(`${baseUrl}/`) ? text.slice(baseUrl.length + 1) : text;
  return { type, other: /^Patient\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/[A-Za-z0-9\-.]{1,64})?$/.exec(local)?.[1] };
}
