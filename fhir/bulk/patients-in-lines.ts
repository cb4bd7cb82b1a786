// Finds whose data a page of an export holds. A resource is parsed only when it may be the first one of a patient in
// the job: parsing all of them would cost more than the rest of an export.
import { createSlices } from '#lib/jobs/slices.ts';
import { patientsIn, type Reading } from '../store/threads.ts';

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

/**
 * Returns the patients in whose compartments the resources are, without those who are known already.
 * @param findKnown returns those of the ids that are known
 */
export async function newPatientsIn(
  { text, patients }: PageLines,
  findKnown: (ids: ReadonlySet<string>) => Promise<ReadonlySet<string>>,
  reading: Reading,
): Promise<ReadonlySet<string>> {
  const places: { readonly at: number; readonly id: string | undefined }[] = [];
  const named = new Set(patients);
  for (const match of text.matchAll(NAMED)) {
    const [, id] = match;
    places.push({ at: match.index, id });
    if (id !== undefined) named.add(id);
  }
  const known = await findKnown(named);
  const found = new Set(patients.filter((id) => !known.has(id)));
  const slices = createSlices();
  let end = -1;
  for (const { at, id } of places) {
    // Its line was parsed already, or it names nobody new.
    if (at < end || (id !== undefined && (known.has(id) || found.has(id)))) continue;
    end = text.indexOf('\n', at);
    const line = text.slice(text.lastIndexOf('\n', at) + 1, end);
    for (const patient of await patientsIn(line, reading)) if (!known.has(patient)) found.add(patient);
    await slices.rest();
  }
  return found;
}
