// Cases of terminology operations: thousands of different requests each, most about a code system of half a million
// codes.
import {
  codeOf,
  generateConcepts,
  LARGE_URL,
  mixed,
  partOf,
  SEVERITIES,
} from '#test/support/engine/large-code-system.ts';
import { BASE } from '../engine/cases/case.ts';
import type { SentRequest } from '../load/load.ts';
import { SERIAL } from '../load/serial.ts';

/** A figure beside the bare limit; `name` is that of the bare route too. */
export interface TerminologyCase {
  readonly name: string;
  readonly title: string;
  /** The least share of the bare rate. */
  readonly must?: number;
  /** The least number of answers a second. */
  readonly mustRate?: number;
  readonly mustP99?: number;
  readonly targets: readonly string[];
}

/** So many different requests each. */
const MANY = 20_000;
/** Value sets of branches of the large code system, by property. */
const VALUE_SETS = 200;
/** A parameter that no operation reads: its name is of one client alone. */
const UNREAD = 'x-request';
const THOUSAND_URL = 'https://kedja.example/fhir/CodeSystem/thousand';
const VALUE_SET_URL = 'https://kedja.example/fhir/ValueSet';

export function casesOf(size: number): TerminologyCase[] {
  const numbers = Array.from({ length: MANY }, (_, index) => mixed(index + 1) % size);
  const system = `system=${LARGE_URL}`;
  const small = `system=http://terminology.hl7.org/CodeSystem/v3-ActCode`;
  const setOf = (number: number) => `url=${VALUE_SET_URL}/${number % VALUE_SETS}`;
  const get = (of: (number: number) => string) => numbers.map((number) => BASE + of(number));
  /** The same request with a number of its own, so that no response to an earlier one is cached. */
  const first = (of: (number: number) => string) => get((n) => `${of(n)}&${UNREAD}=${SERIAL}`);
  const part = (number: number) => partOf(number & 4095).slice(0, 3 + (number % 3));
  const lookup = (n: number) => `/CodeSystem/$lookup?${system}&code=${codeOf(n)}`;
  const validate = (n: number) => `/CodeSystem/$validate-code?url=${LARGE_URL}&code=${codeOf(n)}`;
  const validateSet = (n: number) => `/ValueSet/$validate-code?${setOf(n)}&${system}&code=${codeOf(n)}`;
  const subsumes = (n: number) => `/CodeSystem/$subsumes?${system}&codeA=${codeOf(mixed(n) % 1000)}&codeB=${codeOf(n)}`;
  const expandText = (n: number) => `/ValueSet/$expand?${setOf(n)}&filter=${part(n)}&count=10`;
  const expandPage = (n: number) => `/ValueSet/$expand?${setOf(n)}&offset=${n % 40}&count=10`;
  return [
    {
      name: 'lookup-small',
      title: '$lookup, a code of HL7’s',
      must: 0.6,
      targets: [`${BASE}/CodeSystem/$lookup?${small}&code=AMB`, `${BASE}/CodeSystem/$lookup?${small}&code=EMER`],
    },
    {
      name: 'lookup',
      title: '$lookup',
      must: 0.6,
      targets: get(lookup),
    },
    {
      name: 'validate',
      title: 'CodeSystem/$validate-code',
      must: 0.6,
      targets: get(validate),
    },
    {
      name: 'validate-set',
      title: 'ValueSet/$validate-code',
      must: 0.6,
      targets: get(validateSet),
    },
    {
      name: 'subsumes',
      title: '$subsumes',
      must: 0.6,
      targets: get(subsumes),
    },
    {
      name: 'expand-text',
      title: '$expand, is-a, property and text, 10 codes',
      must: 0.3,
      mustP99: 20,
      targets: get(expandText),
    },
    {
      name: 'expand-words',
      title: '$expand, two words, 10 codes',
      must: 0.3,
      mustP99: 20,
      targets: get((n) => `/ValueSet/$expand?${setOf(n)}&filter=${part(n)}%20frac&count=10`),
    },
    {
      name: 'expand-page',
      title: '$expand, is-a and property, pages of 10',
      must: 0.3,
      mustP99: 20,
      targets: get(expandPage),
    },
    {
      name: 'first-lookup',
      title: '$lookup, asked first',
      must: 0.55,
      targets: first(lookup),
    },
    {
      name: 'first-validate',
      title: 'CodeSystem/$validate-code, asked first',
      must: 0.55,
      targets: first(validate),
    },
    {
      name: 'first-validate-set',
      title: 'ValueSet/$validate-code, asked first',
      must: 0.55,
      targets: first(validateSet),
    },
    {
      name: 'first-subsumes',
      title: '$subsumes, asked first',
      must: 0.55,
      targets: first(subsumes),
    },
    {
      name: 'first-expand',
      title: '$expand of 10 codes, asked first',
      must: 0.35,
      targets: first(expandPage),
    },
    {
      name: 'first-expand-text',
      title: '$expand of 10 codes by text, asked first',
      must: 0.35,
      targets: first(expandText),
    },
    {
      name: 'expand-all',
      title: '$expand, all of 1,000 codes',
      mustRate: 500,
      targets: [`${BASE}/ValueSet/$expand?url=${VALUE_SET_URL}/thousand`],
    },
  ];
}

/** What is stored besides the large code system. */
export function definitions(size: number): { readonly type: string; readonly id: string; readonly resource: object }[] {
  const branches: string[] = [];
  for (const { code, level } of generateConcepts(size)) {
    if (level >= 3 && level <= 6) branches.push(code);
    if (branches.length >= VALUE_SETS * 20) break;
  }
  const sets = Array.from({ length: VALUE_SETS }, (_, index) => {
    const filter = [
      { property: 'concept', op: 'is-a', value: branches[(index * 20) % branches.length] },
      { property: 'severity', op: '=', value: SEVERITIES[index % SEVERITIES.length] },
    ];
    return valueSet(String(index), [{ system: LARGE_URL, filter }]);
  });
  const concept = [...generateConcepts(1_000)].map(({ code, display }) => ({ code, display }));
  const thousand = {
    resourceType: 'CodeSystem',
    id: 'thousand',
    url: THOUSAND_URL,
    status: 'active',
    content: 'complete',
    concept,
  };
  return [
    { type: 'CodeSystem', id: 'thousand', resource: thousand },
    ...sets,
    valueSet('thousand', [{ system: THOUSAND_URL }]),
  ];
}

function valueSet(id: string, include: readonly object[]) {
  const resource = {
    resourceType: 'ValueSet',
    id: `bench-${id}`,
    url: `${VALUE_SET_URL}/${id}`,
    status: 'active',
    compose: { include },
  };
  return { type: 'ValueSet', id: resource.id, resource };
}

export function requestsOf({ targets }: TerminologyCase, headers: Readonly<Record<string, string>>): SentRequest[] {
  return targets.map((target) => ({ target, headers }));
}
