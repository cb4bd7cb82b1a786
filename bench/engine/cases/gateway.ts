// Cases of the same requests through the gateway and directly: the way of browsers and most callers beside that of a
// service's own port.
import type { SentRequest } from '../../load/load.ts';
import { identifierOf, patientOf } from '../people.ts';
import { guidOf } from '../random.ts';
import { BASE, type Case, type CaseContext, numbersOf } from './case.ts';

const MUST = 0.8;
const PREFIX = '/engine';

export function gatewayCases({ patients, headers }: CaseContext): Case[] {
  const numbers = numbersOf(patients);
  const beside = (name: string, direct: readonly SentRequest[]): Case => {
    const through = direct.map((request) => ({ ...request, target: PREFIX + request.target }));
    return {
      name: `${name}, through the gateway beside directly`,
      kind: 'rate',
      must: MUST,
      beside: 'service',
      isThroughGateway: true,
      ours: () => through,
      bare: direct,
    };
  };
  const get = (targetOf: (number: number) => string) =>
    numbers.map((number) => ({ target: BASE + targetOf(number), headers }));
  const creates = numbers.map((number) => ({
    target: `${BASE}/Patient`,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/fhir+json' },
    text: JSON.stringify(patientOf(number)),
  }));
  return [
    beside(
      'read',
      get((n) => `/Patient/${guidOf('patient', n)}`),
    ),
    beside(
      'search by identifier',
      get((n) => `/Patient?identifier=https://example.org/mrn|${identifierOf(n)}`),
    ),
    beside('create a Patient', creates),
  ];
}
