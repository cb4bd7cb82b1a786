// Cases of creating, changing and validating patients, alone and in a transaction.

import { patientOf } from '../people.ts';
import { guidOf } from '../random.ts';
import { BASE, bareNumbersOf, type Case, type CaseContext, numbersOf } from './case.ts';

const FHIR = { 'content-type': 'application/fhir+json' };
/** More than one round can send. */
const UPDATES = 50_000;
const IN_TRANSACTION = 20;
const IN_BATCH = 20;

export function writeCases(context: CaseContext): Case[] {
  const headers = { ...context.headers, ...FHIR };
  const numbers = numbersOf(context.patients);
  const texts = numbers.map((number) => JSON.stringify(patientOf(number)));
  const entry = numbers.slice(0, IN_TRANSACTION).map((number) => ({
    resource: patientOf(number),
    request: { method: 'POST', url: 'Patient' },
  }));
  const bundle = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
  const mixed = JSON.stringify({
    resourceType: 'Bundle',
    type: 'batch',
    entry: entry
      .slice(0, IN_BATCH / 2)
      .flatMap((create, place) => [
        create,
        { request: { method: 'GET', url: `Patient/${guidOf('patient', numbers[place] ?? 0)}` } },
      ]),
  });
  const post = (target: string, sent: readonly string[], of: Readonly<Record<string, string>>) =>
    sent.map((text) => ({ target, method: 'POST', headers: of, text }));
  const [validations, creates, transactions, batches] = [
    post(`${BASE}/$validate`, texts, headers),
    post(`${BASE}/Patient`, texts, headers),
    post(`${BASE}/$transaction`, [bundle], headers),
    post(`${BASE}/$batch`, [mixed], headers),
  ];
  return [
    {
      name: '$validate a Patient',
      kind: 'rate',
      must: 0.4,
      p99: 8,
      ours: () => validations,
      bare: post('/parse', texts, FHIR),
    },
    {
      name: 'create a Patient',
      kind: 'rate',
      must: 0.35,
      p99: 8,
      ours: () => creates,
      bare: post('/create', texts, FHIR),
    },
    updates(context, headers),
    {
      name: 'transaction of 20 creates, resources',
      kind: 'rate',
      must: 0.25,
      each: IN_TRANSACTION,
      ours: () => transactions,
      bare: post('/many', [bundle], FHIR),
    },
    {
      name: 'batch of 20 reads and creates, resources',
      kind: 'rate',
      each: IN_BATCH,
      ours: () => batches,
      bare: post('/mixed', [mixed], FHIR),
    },
  ];
}

/**
 * All patients one after the other, and again with the next version: by then the answer to the update before has come.
 */
function updates({ patients }: CaseContext, headers: Readonly<Record<string, string>>): Case {
  return {
    name: 'update a Patient with If-Match',
    kind: 'rate',
    must: 0.3,
    p99: 8,
    ours: (from) =>
      Array.from({ length: UPDATES }, (_, offset) => {
        const [number, version] = [(from + offset) % patients, 1 + Math.floor((from + offset) / patients)];
        const id = guidOf('patient', number);
        return {
          target: `${BASE}/Patient/${id}`,
          method: 'PUT',
          headers: { ...headers, 'if-match': `W/"${version}"` },
          text: JSON.stringify({ ...patientOf(number), id }),
        };
      }),
    bare: bareNumbersOf(patients).map((number) => ({
      target: `/update/${guidOf('patient', number)}`,
      method: 'PUT',
      headers: FHIR,
      text: JSON.stringify(patientOf(number)),
    })),
  };
}
