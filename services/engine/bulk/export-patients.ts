// Finds whose data a page of an export holds. A resource is parsed only when it may be the first one of a patient in the
// job: parsing all of them would cost more than the rest of an export.
import { patientsIn, type Reading } from '#fhir/store/threads.ts';
import { textArray } from '#lib/db/array-text.ts';
import type { Queryable } from '#lib/db/database.ts';
import { createSlices } from '#lib/jobs/slices.ts';

export interface PageLines {
  /** Resources, each with a line feed. */
  readonly text: string;
  /** The ids of the Patients among them. */
  readonly patients: readonly string[];
}

/**
 * A reference to a Patient, wherever it is in the resource. An escape in a string could hide one, so such a line is
 * parsed in any case.
 */
const NAMED = /Patient\/([A-Za-z0-9.-]+)|\\[u/]/g;

/** Returns the patients in whose compartments the resources are, without those who are recorded for the job. */
export async function newPatientsIn(
  db: Queryable,
  { job, page: { text, patients } }: { readonly job: string; readonly page: PageLines },
  reading: Reading,
): Promise<ReadonlySet<string>> {
  const places: { readonly at: number; readonly id: string | undefined }[] = [];
  const named = new Set(patients);
  for (const match of text.matchAll(NAMED)) {
    const [, id] = match;
    places.push({ at: match.index, id });
    if (id !== undefined) named.add(id);
  }
  const recorded = await recordedOf(db, job, named);
  const found = new Set(patients.filter((id) => !recorded.has(id)));
  const slices = createSlices();
  let end = -1;
  for (const { at, id } of places) {
    // Its line was parsed already, or it names nobody new.
    if (at < end || (id !== undefined && (recorded.has(id) || found.has(id)))) continue;
    end = text.indexOf('\n', at);
    const line = text.slice(text.lastIndexOf('\n', at) + 1, end);
    for (const patient of await patientsIn(line, reading)) if (!recorded.has(patient)) found.add(patient);
    await slices.rest();
  }
  return found;
}

async function recordedOf(db: Queryable, job: string, patients: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  if (patients.size === 0) return patients;
  const { rows } = await db.query<{ patient: string }>(
    {
      name: 'bulk-recorded',
      text: 'SELECT patient FROM bulk_patient WHERE job_guid = $1 AND patient = ANY($2::text[])',
    },
    [job, textArray([...patients])],
  );
  return new Set(rows.map(({ patient }) => patient));
}
