// Attacks with stored resources of the largest size: they are read, validated, hidden and reindexed, as are their older
// versions (docs/adr/0062). Each row builds on what those before it have stored.
import { observationProfile } from '#test/support/fhir/observation-profile.ts';
import { type Attack, type Attacker, type AttackRequest, fhir, listOf, type Target, until } from './attack.ts';

const MEBIBYTE = 1024 * 1024;
const ENGINE = '/engine/api/v1';
const ROOM = 9.5 * MEBIBYTE;

const filled = (item: string): string => listOf(item, Math.floor(ROOM / (item.length + 1)));
const EXTENSIONS = filled('{"url":"http://a","valueCode":"a"}');
const LONG_ID = 'freeze-long';
/** With a letter that makes its text twice as wide in memory. */
const long = (id: string, { accounts }: Target): string =>
  `{"resourceType":"Observation","id":"${id}","status":"final","code":{"text":"ł"},` +
  `"subject":{"reference":"Patient/${accounts.patientGuid}"},"extension":${EXTENSIONS}}`;

function get(who: Attacker, path: string, answers: readonly number[] = [200]): Attack {
  return { name: `GET ${path}`, who, answers, request: () => ({ method: 'GET', path: `${ENGINE}/${path}` }) };
}

function put(name: string, make: (target: Target) => AttackRequest, who: Attacker = 'planner'): Attack {
  return { name, who, answers: [200, 201], request: make };
}

const OBSERVATION = `Observation/${LONG_ID}`;

const LONG_OBSERVATIONS: readonly Attack[] = [
  put('a long observation, and its warnings are asked for', (target) => ({
    ...fhir(`${ENGINE}/${OBSERVATION}`, long(LONG_ID, target), 'PUT'),
    headers: { 'content-type': 'application/fhir+json', prefer: 'return=OperationOutcome' },
  })),
  put('it is put again, and asked for', (target) => ({
    ...fhir(`${ENGINE}/${OBSERVATION}`, long(LONG_ID, target), 'PUT'),
    headers: { 'content-type': 'application/fhir+json', prefer: 'return=representation' },
  })),
  get('planner', `${OBSERVATION}/$meta`),
  get('planner', `${OBSERVATION}/$validate`),
  get('patient', `${OBSERVATION}/_history?_count=2`),
  get('patient', `${OBSERVATION}/_history/1`),
  get('stranger', OBSERVATION, [404]),
  {
    name: 'a batch that reads it four times',
    who: 'planner',
    answers: [200],
    request: () =>
      fhir(
        `${ENGINE}/$batch`,
        JSON.stringify({
          resourceType: 'Bundle',
          type: 'batch',
          entry: Array(4).fill({ request: { method: 'GET', url: OBSERVATION } }),
        }),
      ),
  },
  {
    name: 'a search parameter by which it is reindexed',
    who: 'admin',
    answers: [200, 201],
    request: () =>
      fhir(
        `${ENGINE}/SearchParameter/freeze`,
        JSON.stringify({
          resourceType: 'SearchParameter',
          id: 'freeze',
          url: 'http://example.org/fhir/SearchParameter/freeze',
          name: 'Freeze',
          status: 'active',
          description: 'What the extensions hold',
          code: 'freeze',
          base: ['Observation'],
          type: 'token',
          processingMode: 'normal',
          expression: "Observation.extension.where(url = 'http://a').value",
        }),
        'PUT',
      ),
    settle: (sent) =>
      until(
        sent,
        {
          method: 'GET',
          path: `${ENGINE}/Observation?freeze=a&_summary=count`,
          // A parameter that is not searchable yet would be passed over.
          headers: { prefer: 'handling=strict' },
        },
        ({ status, text }) => status === 200 && /"total":[1-9]/.test(text),
      ),
  },
];

const MEMBERS = 60_000;

const COLLECTIONS: readonly Attack[] = [
  put('a list of many', () =>
    fhir(
      `${ENGINE}/List/freeze`,
      JSON.stringify({
        resourceType: 'List',
        id: 'freeze',
        status: 'current',
        mode: 'working',
        entry: Array.from({ length: MEMBERS }, () => ({
          item: { reference: OBSERVATION, display: 'x'.repeat(80) },
        })),
      }),
      'PUT',
    ),
  ),
  get('planner', 'Observation?_list=freeze'),
];

const manyCodes = (count: number): string =>
  `[${Array.from({ length: count }, (_, at) => `{"code":"c${at}","display":"a b"}`).join(',')}]`;
const valueSet = (id: string, include: string): string =>
  `{"resourceType":"ValueSet","id":"${id}","url":"http://example.org/fhir/ValueSet/${id}","status":"active","compose":{"include":${include}}}`;

const url = (id: string): string => `http://example.org/fhir/ValueSet/${id}`;
let asked = 0;

/** Stored, and then expanded by another filter each time: answers are kept. */
function expanded(name: string, id: string, body: string): Attack {
  return {
    ...put(name, () => fhir(`${ENGINE}/ValueSet/${id}`, body, 'PUT'), 'admin'),
    settle: (sent) => {
      asked += 1;
      const path = `${ENGINE}/ValueSet/$expand?url=${url(id)}&count=10&filter=b${'b'.repeat(asked % 2)}`;
      return until(sent, { method: 'GET', path }, ({ status }) => status === 200);
    },
  };
}

const CODES: readonly Attack[] = [
  expanded(
    'a value set of 200,000 codes',
    'freeze-many',
    valueSet('freeze-many', `[{"system":"urn:freeze","concept":${manyCodes(200_000)}}]`),
  ),
  {
    ...put(
      'a concept map of 60,000 codes',
      () =>
        fhir(
          `${ENGINE}/ConceptMap/freeze-many`,
          JSON.stringify({
            resourceType: 'ConceptMap',
            id: 'freeze-many',
            url: 'http://example.org/fhir/ConceptMap/freeze-many',
            status: 'active',
            group: [
              {
                source: 'urn:freeze',
                target: 'urn:other',
                element: Array.from({ length: 60_000 }, (_, at) => ({
                  code: `c${at}`,
                  target: [{ code: `c${at}`, relationship: 'equivalent' }],
                })),
              },
            ],
          }),
          'PUT',
        ),
      'admin',
    ),
    settle: (sent) =>
      until(
        sent,
        {
          method: 'GET',
          path: `${ENGINE}/ConceptMap/$translate?url=http://example.org/fhir/ConceptMap/freeze-many&sourceCode=c1&system=urn:freeze`,
        },
        ({ status }) => status === 200,
      ),
  },
];

/** Many slices, each with something to say of what is below it. */
const SLICES = 1_500;
const WIDE = JSON.stringify(
  observationProfile({ url: 'http://example.org/fhir/StructureDefinition/freeze-wide', name: 'FreezeWide' }, [
    { id: 'Observation', path: 'Observation' },
    {
      id: 'Observation.component',
      path: 'Observation.component',
      slicing: { discriminator: [{ type: 'value', path: 'code' }], rules: 'open' },
    },
    ...Array.from({ length: SLICES }, (_, at) => [
      { id: `Observation.component:s${at}`, path: 'Observation.component', sliceName: `s${at}`, min: 0, max: '1' },
      {
        id: `Observation.component:s${at}.code`,
        path: 'Observation.component.code',
        patternCodeableConcept: { coding: [{ system: 'urn:s', code: `s${at}` }] },
      },
    ]).flat(),
  ]),
);

export const STORE_ATTACKS: readonly Attack[] = [
  ...LONG_OBSERVATIONS,
  ...COLLECTIONS,
  ...CODES,
  {
    name: 'the snapshot of a profile of many slices',
    who: 'planner',
    answers: [200, 422],
    request: () => fhir(`${ENGINE}/StructureDefinition/$snapshot`, WIDE),
  },
];
