// Finds whose data a page of an export holds. A resource is parsed only when it may be the first one of a patient in
// the job: parsing all of them would cost more than the rest of an export.
import { createSlices } from '#lib/jobs/slices.ts';
import { patientsIn, type Reading } from '../store/threads.ts';

export interface PageLines {
  /** Texts of whole lines, each with its line feed. */
  readonly texts: readonly string[];
  /** The ids of the Patients among them. */
  readonly patients: readonly string[];
}

interface Place {
  readonly text: string;
  readonly at: number;
  /** Undefined for an escape. */
  readonly id: string | undefined;
}

/**
 * A reference to a Patient, wherever it is in the resource. An escape in a string could hide one, so such a line is
 * parsed in any case.
 */
const NAMED = /Patient\/([A-Za-z0-9.-]+)|\\[u/]/g;

/**
 * Returns the patients in whose compartments the resources are, without those who are known already.
 * @param findNew returns those of the ids that are not known
 */
export async function newPatientsIn(
  { texts, patients }: PageLines,
  findNew: (ids: ReadonlySet<string>) => Promise<ReadonlySet<string>>,
  reading: Reading,
): Promise<ReadonlySet<string>> {
  const slices = createSlices();
  const places: Place[] = [];
  const named = new Set(patients);
  for (const text of texts) {
    let escapedTo = -1;
    for (const match of text.matchAll(NAMED)) {
      // One resource may have millions of them.
      await slices.rest();
      const { 1: id, index: at } = match;
      // A line is parsed once, however many escapes it has.
      if (id === undefined && at < escapedTo) continue;
      if (id === undefined) escapedTo = text.indexOf('\n', at);
      else named.add(id);
      places.push({ text, at, id });
    }
  }
  const others = await findNew(named);
  const found = new Set(patients.filter((id) => others.has(id)));
  let parsed = { text: '', end: 0 };
  for (const { text, at, id } of places) {
    // Its line was parsed already, or it names nobody new.
    if ((text === parsed.text && at < parsed.end) || (id !== undefined && (!others.has(id) || found.has(id)))) continue;
    const end = text.indexOf('\n', at);
    parsed = { text, end };
    const line = text.slice(text.lastIndexOf('\n', at) + 1, end);
    for (const patient of await patientsIn(line, reading))
      if (others.has(patient) || !named.has(patient)) found.add(patient);
    await slices.rest();
  }
  return found;
}
