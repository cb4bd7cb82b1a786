// Attacks on background work: imports, and what nodes load of stored definitions. Work that a request starts counts as
// the request does.
import {
  type Attack,
  type AttackRequest,
  codeTextProfile,
  ENGINE,
  fhir,
  filled,
  MEBIBYTE,
  type Sent,
  until,
} from './attack.ts';

const named = (id: string, bytes: number): string =>
  `{"resourceType":"Patient","id":"${id}","name":${filled('{"text":"a b c"}', bytes)}}`;
const answered = (id: string, bytes: number): string =>
  `{"resourceType":"Questionnaire","id":"${id}","status":"draft","extension":${filled('{"url":"http://a","valueCode":"a"}', bytes)}}`;

const LONG_PROFILE = 'http://example.org/fhir/StructureDefinition/freeze-long';
/** It asks for a text, and says so with many rules beside. */
const PROFILE = codeTextProfile({
  id: 'freeze-long',
  url: LONG_PROFILE,
  element: {
    min: 1,
    definition: 'x'.repeat(MEBIBYTE),
    constraint: Array.from({ length: 4_000 }, (_, index) => ({
      key: `f-${index}`,
      severity: 'error',
      human: 'x'.repeat(300),
      expression: 'true',
    })),
  },
});
const TEXTLESS = '{"resourceType":"Observation","status":"final","code":{"coding":[{"code":"a"}]}}';
const LONG_SET = 'http://example.org/fhir/ValueSet/freeze-long';
const VALUE_SET = JSON.stringify({
  resourceType: 'ValueSet',
  id: 'freeze-long',
  url: LONG_SET,
  status: 'active',
  compose: {
    include: [
      {
        system: 'urn:freeze',
        concept: Array.from({ length: 60_000 }, (_, at) => ({ code: `c${at}`, display: 'x'.repeat(100) })),
      },
    ],
  },
});

function importOf(lines: readonly string[]): AttackRequest {
  const headers = { 'content-type': 'application/fhir+ndjson', prefer: 'respond-async' };
  return { method: 'POST', path: `${ENGINE}/$import`, headers, body: lines.join('\n') };
}

/** The job is done, and it has made so many resources or refused so many lines. */
async function imported(sent: Sent): Promise<void> {
  const { pathname } = new URL(sent.headers.get('content-location') ?? '');
  await until(
    sent,
    { method: 'GET', path: `/engine${pathname.slice(pathname.indexOf('/api/'))}` },
    ({ status }) => status !== 202,
  );
}

export const JOB_ATTACKS: readonly Attack[] = [
  {
    name: 'an import of one line as long as may be',
    who: 'admin',
    answers: [202],
    request: () => importOf([answered('freeze-line', 9.5 * MEBIBYTE)]),
    settle: imported,
  },
  {
    name: 'an import of one line of millions of empty lists',
    who: 'admin',
    answers: [202],
    request: () => importOf([`{"resourceType":"Patient","name":${filled('[]', 9.5 * MEBIBYTE)}}`]),
    settle: imported,
  },
  {
    name: 'an import of lines that are nearly long',
    who: 'admin',
    answers: [202],
    request: () => importOf(Array.from({ length: 60 }, (_, index) => named(`freeze-${index}`, 60_000))),
    settle: imported,
  },
  {
    name: 'an import of many short lines',
    who: 'admin',
    answers: [202],
    request: () => importOf(Array.from({ length: 6_000 }, (_, index) => named(`freeze-short-${index}`, 100))),
    settle: imported,
  },
  {
    name: 'a profile of many elements, and a resource that claims it',
    who: 'admin',
    answers: [200, 201],
    request: () => fhir(`${ENGINE}/StructureDefinition/freeze-long`, PROFILE, 'PUT'),
    settle: (sent) =>
      until(sent, fhir(`${ENGINE}/Observation/$validate?profile=${LONG_PROFILE}`, TEXTLESS), ({ text }) =>
        text.includes('Observation.code.text'),
      ),
  },
  {
    name: 'a value set as large as may be',
    who: 'admin',
    answers: [200, 201],
    request: () => fhir(`${ENGINE}/ValueSet/freeze-long`, VALUE_SET, 'PUT'),
    settle: (sent) =>
      until(
        sent,
        {
          method: 'GET',
          path: `${ENGINE}/ValueSet/$validate-code?url=${LONG_SET}&system=urn:freeze&code=c1`,
        },
        ({ status, text }) => status === 200 && text.includes('"valueBoolean":true'),
      ),
  },
];
