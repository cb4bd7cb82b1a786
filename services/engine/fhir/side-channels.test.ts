// Paired requests (decisions G7, G12): a request for a hidden resource gets exactly the response for one that does not
// exist. Two organisations and two patients have the same resources. The two requests of a pair differ only in what
// they name.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PATIENT as HIDDEN, startTestEngine } from '#test/support/engine/engine.ts';
import { fhirPathPatch, patchOperation } from '#test/support/fhir/fhirpath-patch.ts';
import { makeKey, makePrincipal } from '#test/support/http-app.ts';
import { type ComparableResponse, comparableResponse } from '#test/support/paired-responses.ts';

const ABSENT = '01900000-0000-7000-8000-0000000000f1';
const OWN = '01900000-0000-7000-8000-0000000000b2';
const { call, app } = await startTestEngine(
  { after },
  {
    callers: {
      other: makePrincipal(['patient'], { patientGuid: OWN }),
      key: makeKey('system/*.cruds'),
      looker: makeKey('system/*.rs'),
      changer: makeKey('system/Patient.u', 'system/Observation.u'),
    },
  },
);

/**
 * The same for either name: an id that is there and hidden, or one that is not. Also a word that only the hidden
 * records hold, or none.
 */
interface Name {
  readonly id: string;
  readonly observation: string;
  readonly word: string;
}
const PAIR: readonly [hidden: Name, absent: Name] = [
  { id: HIDDEN, observation: 'hidden-one', word: 'hiddenword' },
  { id: ABSENT, observation: 'absent-one', word: 'absentword' },
];

const patient = ({ id, word }: Name) => ({
  resourceType: 'Patient',
  id,
  name: [{ family: word }],
  identifier: [{ system: 'urn:words', value: word }],
});
const observation = ({ id, observation: own, word }: Name) => ({
  resourceType: 'Observation',
  id: own,
  status: 'final',
  code: { coding: [{ system: 'urn:words', code: word }] },
  subject: { reference: `Patient/${id}` },
});

before(async () => {
  const [hidden] = PAIR;
  for (const each of [hidden, { id: OWN, observation: 'own', word: 'ownword' }]) {
    const by = each === hidden ? 'planner' : 'stranger';
    assert.equal((await call(by, 'PUT', `/Patient/${each.id}`, patient(each))).status, 201);
    assert.equal((await call(by, 'PUT', `/Observation/${each.observation}`, observation(each))).status, 201);
  }
});

interface Question {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: (name: Name) => string;
  readonly headers?: (name: Name) => Readonly<Record<string, string>>;
  readonly body?: (name: Name) => object | string;
}

const get = (path: Question['path'], headers?: Record<string, string>): Question =>
  headers === undefined ? { path } : { path, headers: () => headers };
const bundle = (type: string, request: object, resource?: object) => ({
  resourceType: 'Bundle',
  type,
  entry: [{ request, ...(resource === undefined ? {} : { resource }) }],
});
const meta = { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { tag: [{ code: 'x' }] } }] };
const patch = fhirPathPatch(patchOperation('delete', 'Patient.active'));

/** Not among them: a PUT at an id by a caller who may make what is not there: what is free is taken (docs/adr/0059). */
const QUESTIONS: readonly Question[] = [
  ...['', '/_history', '/_history/1', '/$everything', '/$meta', '/Observation', '/*', '?_elements=id'].map((rest) =>
    get(({ id }) => `/Patient/${id}${rest}`),
  ),
  get(({ id }) => `/Patient/${id}`, { 'if-none-match': 'W/"1"' }),
  get(({ id }) => `/Patient/${id}`, { 'if-modified-since': 'Mon, 02 Mar 2027 08:00:00 GMT' }),
  ...['', '/_history', '/_history/1'].map((rest) => get(({ observation: own }) => `/Observation/${own}${rest}`)),
  ...['', '&_summary=count', '&_total=accurate&_count=0', '&_sort=family', '&_revinclude=Observation:subject'].map(
    (rest) => get(({ id }) => `/Patient?_id=${id}${rest}`),
  ),
  ...['', '&_summary=count', '&_include=Observation:subject', '&_sort=-date', '&code=urn:words|x'].map((rest) =>
    get(({ id }) => `/Observation?subject=Patient/${id}${rest}`),
  ),
  get(({ word }) => `/Patient?identifier=urn:words|${word}&_total=accurate`),
  get(({ word }) => `/Patient?name=${word}`),
  get(({ word }) => `/Patient?name:missing=false&family:exact=${word}`),
  get(({ word }) => `/Observation?subject:Patient.name=${word}&_summary=count`),
  get(({ word }) => `/Observation?subject:Patient.identifier=urn:words|${word}`),
  get(({ word }) => `/Patient?_has:Observation:patient:code=urn:words|${word}`),
  get(({ word }) => `/Patient?_content=${word}`),
  get(({ word }) => `/Patient?_filter=name eq ${word}`),
  get(({ id }) => `/?_type=Observation,Patient&_id=${id}`),
  get(({ id }) => `/Patient?_list=${id}`),
  { method: 'PUT', path: ({ id }) => `/Patient/${id}`, headers: () => ({ 'if-match': 'W/"1"' }), body: patient },
  { method: 'PUT', path: ({ id }) => `/Patient/${id}`, headers: () => ({ 'if-match': 'W/"9"' }), body: patient },
  { method: 'PATCH', path: ({ id }) => `/Patient/${id}`, body: () => patch },
  { method: 'PATCH', path: ({ word }) => `/Patient?identifier=urn:words|${word}`, body: () => patch },
  { method: 'DELETE', path: ({ id }) => `/Patient/${id}` },
  {
    method: 'DELETE',
    path: ({ id }) => `/Patient/${id}`,
    headers: () => ({ prefer: 'return=OperationOutcome', 'if-none-match': '*' }),
  },
  { method: 'DELETE', path: ({ word }) => `/Patient?identifier=urn:words|${word}` },
  ...['batch', 'transaction'].map((type) => ({
    method: 'POST' as const,
    path: () => '/',
    body: ({ id }: Name) => bundle(type, { method: 'DELETE', url: `Patient/${id}` }),
  })),
  // A conditional reference finds what its writer sees alone.
  {
    method: 'POST',
    path: () => '/$validate',
    body: (name) => ({ ...observation(name), subject: { reference: `Patient?identifier=urn:words|${name.word}` } }),
  },
  { method: 'POST', path: ({ id }) => `/Patient/${id}/$meta-add`, body: () => meta },
  { method: 'POST', path: ({ id }) => `/Patient/${id}/$validate`, body: patient },
  { method: 'POST', path: ({ id }) => `/Patient/${id}/$validate?mode=delete` },
  { method: 'POST', path: () => '/', body: ({ id }) => bundle('batch', { method: 'GET', url: `Patient/${id}` }) },
  { method: 'POST', path: () => '/', body: ({ id }) => bundle('transaction', { method: 'GET', url: `Patient/${id}` }) },
  {
    method: 'POST',
    path: () => '/Patient/_search',
    headers: () => ({ 'content-type': 'application/x-www-form-urlencoded' }),
    body: ({ word }) => new URLSearchParams({ identifier: `urn:words|${word}` }).toString(),
  },
  {
    method: 'POST',
    path: () => '/',
    body: (name) => bundle('transaction', { method: 'DELETE', url: `Patient?identifier=urn:words|${name.word}` }),
  },
];

/** Conditional creates make something; what they make is alike, and is taken away again. */
const CREATES: readonly Question[] = [
  {
    method: 'POST',
    path: () => '/Observation',
    headers: ({ word }) => ({ 'if-none-exist': `code=urn:words|${word}` }),
    body: ({ observation: _, ...name }) => ({ ...observation({ ...name, id: OWN, observation: 'x' }), id: undefined }),
  },
  {
    method: 'PUT',
    path: ({ word }) => `/Observation?code=urn:words|${word}`,
    body: ({ observation: _, ...name }) => ({ ...observation({ ...name, id: OWN, observation: 'x' }), id: undefined }),
  },
];

function answerOf(
  caller: string,
  { method = 'GET', path, headers, body }: Question,
  name: Name,
): Promise<ComparableResponse> {
  const asked = { method, path: path(name), headers: headers?.(name), body: body?.(name) };
  return comparableResponse(app, caller, asked, { ID: name.id, OBSERVATION: name.observation, WORD: name.word });
}

for (const caller of ['stranger', 'other', 'key', 'looker', 'changer'])
  test(`${caller} gets the same response for hidden and for unknown resources`, async () => {
    for (const question of QUESTIONS) {
      const [hidden, absent] = [await answerOf(caller, question, PAIR[0]), await answerOf(caller, question, PAIR[1])];
      assert.deepEqual(hidden, absent, `${caller} ${question.method ?? 'GET'} ${question.path(PAIR[0])}`);
      assert.ok(!JSON.stringify(hidden).includes('"status":5'), JSON.stringify(hidden));
    }
  });

for (const caller of ['stranger', 'key'])
  test(`${caller} creates by a condition that only hidden records fulfil as by one that none does`, async () => {
    for (const question of CREATES) {
      const [hidden, absent] = [await answerOf(caller, question, PAIR[0]), await answerOf(caller, question, PAIR[1])];
      assert.deepEqual(hidden, absent, `${caller} ${question.method} ${question.path(PAIR[0])}`);
      for (const { word } of PAIR) await call(caller, 'DELETE', `/Observation?code=urn:words|${word}`);
    }
    const { body } = await call('admin', 'GET', '/Observation/hidden-one');
    assert.equal(body.meta.versionId, '1');
  });
