// Attacks on the processing of FHIR bodies: reading, validation, profiles, patches, bundles (docs/adr/0042, 0043).
import { fhirPathPatch, patchOperation } from '#test/support/fhir/fhirpath-patch.ts';
import { type Attack, codeTextProfile, ENGINE, fhir, filled, listOf, MEBIBYTE } from './attack.ts';

const ROOM = 7.5 * MEBIBYTE;

const patientWith = (member: string): string => `{"resourceType":"Patient",${member}}`;

const SLOW_PROFILE = 'http://example.org/fhir/StructureDefinition/freeze';
const observation = (text: string): string =>
  JSON.stringify({
    resourceType: 'Observation',
    meta: { profile: [SLOW_PROFILE] },
    status: 'final',
    code: { text },
  });
const entryOf = (resource: string, url: string): string =>
  `{"resource":${resource},"request":{"method":"POST","url":"${url}"}}`;
const bundleOf = (type: string, entries: readonly string[]): string =>
  `{"resourceType":"Bundle","type":"${type}","entry":[${entries.join(',')}]}`;

/** The slow profile is stored by the first of them. */
const PROFILE = codeTextProfile({
  id: 'freeze',
  url: SLOW_PROFILE,
  element: {
    constraint: [
      { key: 's-1', severity: 'error', human: 'Slow', expression: "matches('^(a+)+$')" },
      {
        key: 's-2',
        severity: 'error',
        human: 'Slow',
        expression: `('a'${".replace('a', 'aaaaaaaaaaaaaaaa')".repeat(8)}).length() > 0`,
      },
    ],
  },
});

const GROWN = ".replace('a','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')".repeat(8);
const GROWING_PATCH = JSON.stringify(
  fhirPathPatch(patchOperation('delete', `Patient.name.where(('a'${GROWN}).length() > 1)`)),
);
const NAMES = JSON.stringify({ resourceType: 'Patient', id: 'freeze', name: [{ text: 'A' }] });

export const FHIR_ATTACKS: readonly Attack[] = [
  {
    name: 'three at once of $validate with millions of empty lists',
    who: 'patient',
    times: 3,
    request: () => fhir(`${ENGINE}/$validate`, patientWith(`"name":${filled('[]', ROOM)}`)),
  },
  {
    name: '$validate of a valid resource as large as may be',
    who: 'planner',
    request: () =>
      fhir(`${ENGINE}/$validate`, patientWith(`"extension":${filled('{"url":"http://a","valueCode":"a"}', ROOM)}`)),
  },
  {
    name: 'one member given 300,000 times',
    who: 'planner',
    answers: [400],
    request: () => fhir(`${ENGINE}/Patient`, `{"resourceType":"Patient"${',"active":true'.repeat(300_000)}}`),
  },
  {
    name: 'a valid resource as large as may be, stored',
    who: 'planner',
    isOfService: true,
    answers: [200, 201],
    request: () =>
      fhir(
        `${ENGINE}/Questionnaire/freeze`,
        `{"resourceType":"Questionnaire","id":"freeze","status":"draft","extension":${filled('{"url":"http://a","valueCode":"a"}', ROOM)}}`,
        'PUT',
      ),
  },
  {
    name: 'a quarter of a mebibyte of names',
    who: 'planner',
    answers: [201],
    request: () => fhir(`${ENGINE}/Patient`, patientWith(`"name":${filled('{"text":"a b c"}', 250 * 1024)}`)),
  },
  {
    name: 'a batch of 49 MiB of brackets',
    who: 'planner',
    answers: [400, 422],
    request: () => fhir(`${ENGINE}/$batch`, '['.repeat(49 * MEBIBYTE)),
  },
  {
    name: 'a batch of 49 MiB of objects',
    who: 'planner',
    answers: [400, 422],
    request: () => fhir(`${ENGINE}/$batch`, bundleOf('batch', Array(Math.floor((49 * MEBIBYTE) / 3)).fill('{}'))),
  },
  {
    name: 'a batch of 5,000 invalid resources',
    who: 'planner',
    isOfService: true,
    answers: [200],
    request: () =>
      fhir(
        `${ENGINE}/$batch`,
        bundleOf('batch', Array(5_000).fill(entryOf(patientWith('"name":[[],[],[]]'), 'Patient'))),
      ),
  },
  {
    name: 'a transaction of 5,000 resources, the last of them invalid',
    who: 'planner',
    answers: [422],
    request: () =>
      fhir(
        `${ENGINE}/$transaction`,
        bundleOf('transaction', [
          ...Array(4_999).fill(entryOf(patientWith('"name":[{"text":"A"}]'), 'Patient')),
          entryOf(patientWith('"name":[[]]'), 'Patient'),
        ]),
      ),
  },
  {
    name: 'a slow profile is stored',
    who: 'admin',
    answers: [200, 201],
    request: () => fhir(`${ENGINE}/StructureDefinition/freeze`, PROFILE, 'PUT'),
  },
  {
    name: 'a transaction of 20 resources of a slow profile',
    who: 'planner',
    isOfService: true,
    // Users' expressions share a time limit; what is not evaluated by then is a warning.
    answers: [200, 422],
    request: () =>
      fhir(
        `${ENGINE}/$transaction`,
        bundleOf('transaction', Array(20).fill(entryOf(observation(`${'a'.repeat(60)}!`), 'Observation'))),
      ),
  },
  {
    name: 'a patient to patch',
    who: 'planner',
    answers: [200, 201],
    request: () => fhir(`${ENGINE}/Patient/freeze`, NAMES, 'PUT'),
  },
  {
    name: 'a FHIRPath Patch whose text grows without end',
    who: 'planner',
    answers: [422],
    request: () => fhir(`${ENGINE}/Patient/freeze`, GROWING_PATCH, 'PATCH'),
  },
  {
    name: 'a JSON Patch of 100,000 operations',
    who: 'planner',
    answers: [400],
    request: () => ({
      method: 'PATCH',
      path: `${ENGINE}/Patient/freeze`,
      headers: { 'content-type': 'application/json-patch+json' },
      body: listOf('{"op":"test","path":"/id","value":"freeze"}', 100_000),
    }),
  },
  {
    name: 'a JSON Patch of a thousand moves of all there is',
    who: 'planner',
    isOfService: true,
    answers: [422],
    request: () => ({
      method: 'PATCH',
      path: `${ENGINE}/Questionnaire/freeze`,
      headers: { 'content-type': 'application/json-patch+json' },
      body: listOf('{"op":"move","from":"/extension","path":"/a"},{"op":"move","from":"/a","path":"/extension"}', 500),
    }),
  },
];
