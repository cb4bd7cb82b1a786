// Cases of searches that go from one resource to another: chains, reverse chains and includes over people, plans and
// requests.

import { identifierOf } from '../people.ts';
import { activityOf, practitionerFamily, practitionerOfPatient } from '../plans.ts';
import { guidOf } from '../random.ts';
import { BASE, bareReads, type Case, type CaseContext, numbersOf } from './case.ts';

const MUST = { mustMedian: 10, mustP99: 60 } as const;

export function planCases({ patients, headers }: CaseContext): Case[] {
  const numbers = numbersOf(patients);
  const bare = bareReads(patients);
  const latency = (name: string, targetOf: (number: number) => string): Case => {
    const requests = numbers.map((number) => ({ target: BASE + targetOf(number), headers }));
    return { name, kind: 'latency', ...MUST, ours: () => requests, bare };
  };
  const growing = (name: string, targetOf: (number: number) => string): Case => ({
    ...latency(name, targetOf),
    isGrowing: true,
  });
  const byRequester = (name: string, n: number) =>
    `/ServiceRequest?requester:Practitioner.family=${name}&code-concept=http://snomed.info/sct|${activityOf(n)}&_count=20`;
  const doctor = (number: number) => practitionerFamily(practitionerOfPatient(number));
  const mrn = (number: number) => `https://example.org/mrn|${identifierOf(number)}`;
  return [
    latency('chain: requests of a patient', (n) => `/ServiceRequest?subject:Patient.identifier=${mrn(n)}`),
    latency('chain: requests by their requester’s name and a code', (n) => byRequester(doctor(n), n)),
    growing('chain: the same of up to 100 requesters', (n) => byRequester(doctor(n).slice(0, -2), n)),
    latency(
      'chain of two: requests by the patient of their plan',
      (n) => `/ServiceRequest?based-on:CarePlan.subject:Patient.identifier=${mrn(n)}`,
    ),
    latency(
      '_has: patients with a request by a practitioner',
      (n) =>
        `/Patient?_has:ServiceRequest:subject:requester=Practitioner/${guidOf('practitioner', practitionerOfPatient(n))}&_count=20`,
    ),
    latency(
      '_include: a plan with its patient and custodian',
      (n) => `/CarePlan?subject=Patient/${guidOf('patient', n)}&_include=CarePlan:subject&_include=CarePlan:custodian`,
    ),
    latency(
      '_revinclude: a patient with plans, requests and observations',
      (n) =>
        `/Patient?identifier=${mrn(n)}&_revinclude=CarePlan:subject&_revinclude=ServiceRequest:subject&_revinclude=Observation:subject`,
    ),
  ];
}
