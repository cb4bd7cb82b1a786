// A FHIR search as its query string: the conditions that it consists of, and how one of them is changed. What is typed
// stays as it is, but for the characters that an address must not have.

export interface Condition {
  /** With modifier or chain: `name:exact`, `patient.birthdate`. */
  readonly name: string;
  readonly value: string;
}

export function readQuery(query: string): readonly Condition[] {
  return [...new URLSearchParams(query.replace(/^\?/, ''))].map(([name, value]) => ({ name, value }));
}

/** Conditions without a name or a value are left out. */
export function writeQuery(conditions: readonly Condition[]): string {
  return conditions
    .flatMap(({ name, value }) => (name === '' || value === '' ? [] : [`${encoded(name)}=${encoded(value)}`]))
    .join('&');
}

/** Readable: the characters that FHIR gives a meaning need no escape within a query (RFC 3986 §3.4). */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(?:3A|2C|2F|7C|24|40)/g, decodeURIComponent);
}

/** `name:exact` has the parameter `name` and the modifier `exact`; a chain is all parameter. */
export function splitName(name: string): readonly [parameter: string, modifier: string] {
  const at = name.includes('.') || name.startsWith('_has') ? -1 : name.indexOf(':');
  return at === -1 ? [name, ''] : [name.slice(0, at), name.slice(at + 1)];
}

/** The modifiers of each type of parameter (hl7.org/fhir/R5/search.html#modifiers). */
export const MODIFIERS: Readonly<Record<string, readonly string[]>> = {
  string: ['exact', 'contains', 'text', 'missing'],
  token: ['not', 'text', 'in', 'not-in', 'below', 'above', 'of-type', 'code-text', 'missing'],
  reference: ['identifier', 'below', 'above', 'in', 'not-in', 'text', 'missing'],
  uri: ['below', 'above', 'contains', 'missing'],
  date: ['missing'],
  number: ['missing'],
  quantity: ['missing'],
  composite: ['missing'],
};

/** What a value may look like, for each type of parameter. */
const SAMPLES: Readonly<Record<string, string>> = {
  string: 'Berg',
  token: 'system|code',
  reference: 'Patient/123',
  uri: 'https://…',
  date: 'ge2026-01-01',
  number: 'gt5',
  quantity: 'gt5.4|http://unitsofmeasure.org|kg',
  composite: 'a$b',
};

/** Parameters of type `special` have values of their own kind (hl7.org/fhir/R5/search.html#all). */
const SPECIAL_SAMPLES: Readonly<Record<string, string>> = {
  _content: 'heart',
  _text: 'heart',
  _filter: 'status eq final',
  _list: '123',
  near: '63.8|20.3|10|km',
  contains: '63.8|20.3',
};

/** An example of a value; undefined for a parameter of which nothing is known. */
export function sampleOf(name: string, type: string | undefined): string | undefined {
  return SAMPLES[type ?? ''] ?? SPECIAL_SAMPLES[name] ?? RESULT_PARAMETERS[name];
}

/** The parameter with which a new condition begins: one of the type's own, if it has any. */
export function firstOf(parameters: readonly { readonly name: string }[]): string {
  return (parameters.find(({ name }) => !name.startsWith('_')) ?? parameters[0])?.name ?? '';
}

/** What decides about the result, which no CapabilityStatement lists (hl7.org/fhir/R5/search.html#modifyingresults). */
export const RESULT_PARAMETERS: Readonly<Record<string, string>> = {
  _sort: '-_lastUpdated',
  _count: '20',
  _include: 'Observation:subject',
  _revinclude: 'Observation:subject',
  _summary: 'true',
  _elements: 'id,status',
  _total: 'accurate',
};
