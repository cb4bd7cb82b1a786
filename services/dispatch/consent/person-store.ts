// SQL that finds the patient records of one person for the consent gate (decision D7), in the tables of the FHIR store.

import { isObject, objectsOf } from '#fhir/json/objects.ts';
import { isFhirId } from '#fhir/primitives/primitives.ts';
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { Queryable } from '#lib/db/database.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import { isFollowed, type PatientLink, type PatientRecord, type Person, personOf } from './person.ts';

/** A stored Patient. */
export interface PatientRow {
  readonly id: string;
  readonly organisation: string | null;
  /** JSON. */
  readonly content: string;
}

/** The placeholders of the keys of the type, of the records and of the search parameter. */
interface Places {
  readonly type: string;
  readonly records: string;
  readonly link: string;
}

const COLUMNS = 'coalesce(r.id, r.rid::text) AS id, r.organisation, r.content';
/** The records of these keys that exist. */
const named = ({ type, records }: Places) =>
  `SELECT ${COLUMNS} FROM fhir_resource r WHERE r.type = ${type} AND r.rid = ANY(${records}::uuid[]) AND NOT r.deleted`;
/**
 * The records that name those as the same person and belong to the same organisation. Those of other organisations
 * count for nothing, and may be many.
 */
const referring = ({ type, records, link }: Places) => `SELECT ${COLUMNS} FROM fhir_reference i
  JOIN fhir_resource t ON t.type = ${type} AND t.rid = i.target AND NOT t.deleted
  JOIN fhir_resource r ON r.type = ${type} AND r.rid = i.rid AND NOT r.deleted AND r.organisation IS NOT DISTINCT FROM t.organisation
  WHERE i.param = ${link} AND i.target = ANY(${records}::uuid[]) AND i.target_type = ${type}`;

/** The records that may have a link, and those that name them. */
export const linkedPatients = (places: Places) =>
  `${named(places)} AND ${mayHave('link')} UNION ALL ${referring(places)}`;

const PLACES: Places = { type: '$1', records: '$2', link: '$3' };
const AROUND = { name: 'consent-patients-around', text: `${named(PLACES)} UNION ALL ${referring(PLACES)}` };

/** Whether a resource `r` may have the element: its name may be written with escapes. */
export function mayHave(element: string): string {
  return `(r.content LIKE '%"${element}"%' OR r.content LIKE '%\\\\u00%')`;
}

/**
 * Each of these patients with all records of the same person. Most patients have no link and are returned alone.
 * `linked` are the rows of {@link linkedPatients}. It follows only links that count, and stops at the most records that
 * a person may have. `baseUrl` is this server's: an absolute address below it names a record here.
 */
export async function findPersons(
  db: Queryable,
  patientGuids: readonly string[],
  { linked, baseUrl }: { readonly linked: readonly PatientRow[]; readonly baseUrl: string | undefined },
): Promise<ReadonlyMap<string, Person>> {
  const records = new Map<string, PatientRecord>();
  const persons = () => new Map(patientGuids.map((guid) => [guid, personOf(guid, records)]));
  const parsed = async (rows: readonly PatientRow[]) => {
    const slices = createSlices();
    const found: PatientRecord[] = [];
    for (const { content, ...row } of rows) {
      const resource = await parseInSlices(content, { slices });
      found.push(toRecord({ ...row, resource }, baseUrl));
      await slices.rest();
    }
    return found;
  };
  if ((await parsed(linked)).every(({ links }) => links.length === 0)) return persons();
  const asked = new Set<string>();
  for (let level: ReadonlySet<string> = new Set(patientGuids); ; ) {
    const keys = [...level].filter(isFhirId).map(resourceKey);
    const { rows } = await db.query<PatientRow>(AROUND, [nameKey('Patient'), keys, nameKey('Patient.link')]);
    for (const record of await parsed(rows)) records.set(record.id, record);
    for (const id of level) asked.add(id);
    const found = persons();
    level = new Set(
      [...found.values()].filter(isFollowed).flatMap(({ own, others }) => [...own, ...others]),
    ).difference(asked);
    if (level.size === 0) return found;
  }
}

function toRecord(
  { id, organisation, resource }: Omit<PatientRow, 'content'> & { readonly resource: unknown },
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
