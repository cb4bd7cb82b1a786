// Finds the patients that a search names in its parameters. The access record names them whatever the search finds
// (decision G9).
import { isFhirId } from '#fhir/primitives/primitives.ts';
import { parseReference } from '#fhir/resources/references.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { MAX_CHAINED } from '#fhir/search/parse/parse-criterion.ts';
import type { Compartment, SearchQuery } from '#fhir/search/parse/query.ts';
import { createSlices } from '#lib/jobs/slices.ts';

export interface NamingSearch {
  readonly query: URLSearchParams;
  /** Undefined for a search of several types. */
  readonly resourceType: string | undefined;
  readonly compartment: Compartment | undefined;
  /** Own names of parameters, with those that they stand for. */
  readonly aliases?: ReadonlyMap<string, string>;
}

/** Characters of a parameter's name: a chain as long as search takes has fewer. */
const MAX_NAME = 1_000;

/**
 * The ids of patients in a compartment's address. They are values of parameters (`subject=Patient/1`, `patient=1`), or
 * at the end of a chain (`subject:Patient._id=1`, `encounter.patient=1`, `_has:Observation:performer:patient=1`). Who
 * is named by an identifier or a name is known by what is found alone. A refused search may be as long as a body: it is
 * read in slices.
 */
export async function namedPatients(search: NamingSearch, parameters: SearchParameters): Promise<string[]> {
  const slices = createSlices();
  const { query, compartment } = search;
  const found = new Set<string>(compartment?.type === 'Patient' ? [compartment.id] : []);
  for (const [name, text] of query) {
    const isId = namesById(name, search, parameters);
    for (const value of text.split(',')) {
      const id = isId && isFhirId(value) ? value : patientOf(value, parameters.baseUrl);
      if (id !== undefined) found.add(id);
      await slices.rest();
    }
  }
  return [...found];
}

function patientOf(value: string, baseUrl: string | undefined): string | undefined {
  if (!value.includes('Patient/')) return undefined;
  const reference = parseReference(value, baseUrl);
  return reference?.kind === 'relative' && reference.type === 'Patient' ? reference.id : undefined;
}

/**
 * Whether a bare id as the parameter's value is a patient's; not where the name is longer, or has more links, than
 * search takes.
 */
function namesById(
  name: string,
  search: Pick<NamingSearch, 'resourceType' | 'aliases'>,
  parameters: SearchParameters,
  depth = 0,
): boolean {
  if (name.length > MAX_NAME || depth > MAX_CHAINED) return false;
  const { resourceType, aliases } = search;
  // `_has:Observation:performer:patient`: the last is a parameter of the type that refers.
  const [, referring, asked] = /^_has:([^:.]+):[^:.]+:(.+)$/.exec(name) ?? [];
  if (asked !== undefined) return namesById(asked, { resourceType: referring }, parameters, depth + 1);
  if (name === '_id') return resourceType === 'Patient';
  const [, base = '', modifier, rest] = /^([^:.]+)(?::([^.]+))?(?:\.(.+))?$/.exec(name) ?? [];
  const isOfPatients = modifier === 'Patient' || (modifier === undefined && base === 'patient');
  if (rest === '_id') return isOfPatients || (modifier === undefined && base === 'subject');
  // `encounter.patient`, `encounter:Encounter.subject`: the end of a chain is a parameter of the type that it leads to.
  if (rest !== undefined) return namesById(rest, { resourceType: modifier }, parameters, depth + 1);
  if (isOfPatients || modifier !== undefined) return isOfPatients;
  const code = aliases?.get(base) ?? base;
  if (code === 'patient') return true;
  return resourceType !== undefined && parameters.compartmentParameters('Patient', resourceType).includes(code);
}

/** What an answer is made of, not what is asked for. */
const OF_ANSWER =
  /^_(?:count|offset|page|sort|summary|elements|total|include|revinclude|type|format|pretty|explain|cursor)(?::|$)|^(?:page|per_page)$/;
const MAX_ASKED = 20;

/**
 * The names of the parameters that a search asks by, as they were understood. Their values are not among them: a number
 * of a person, or a name, that is on record nowhere belongs in no record of ours.
 */
export function queriedParameters({ understood }: Pick<SearchQuery, 'understood'>): string[] {
  const names = new Set(understood.map(([name]) => name).filter((name) => !OF_ANSWER.test(name)));
  return [...names].slice(0, MAX_ASKED);
}

/**
 * Whether it asks for whom an identifier belongs to: a person who is found is known, though nothing of them may be
 * shown.
 */
export function queriesByIdentifier({ understood }: Pick<SearchQuery, 'understood'>): boolean {
  return understood.some(([name]) => /(?:^|[.:])identifier(?::[\w-]+)?$/.test(name));
}
