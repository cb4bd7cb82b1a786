// What patients and providers answer at the engine must fit its form, where the engine has the form (docs/adr/0088).
// That holds for create and update, alone and in a transaction.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { newGuid } from '#lib/guid.ts';
import { PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { playDispatch, reportableRequest } from '#test/support/engine/engine-dispatch.ts';

const PROVIDER = newGuid();
const REQUEST = newGuid();
const URL_OF_FORM = 'https://example.org/forms/mood';
const { call, clock } = await startTestEngine(
  { after },
  {
    callers: { key: principalOfKey({ keyGuid: newGuid(), scopes: [], providerGuid: PROVIDER }) },
    dispatch: {
      ...playDispatch().client,
      findReportable: async () => [reportableRequest(PROVIDER, REQUEST)],
    },
  },
);

const formOf = (version: string, maxLength: number) => ({
  resourceType: 'Questionnaire',
  url: URL_OF_FORM,
  version,
  status: 'active',
  item: [
    { linkId: 'how', text: 'How are you?', type: 'string', required: true, maxLength },
    { linkId: 'since', type: 'date', enableWhen: [{ question: 'how', operator: '=', answerString: 'bad' }] },
  ],
});
const answers = (texts: Readonly<Record<string, object>>, changes: object = {}) => ({
  resourceType: 'QuestionnaireResponse',
  status: 'completed',
  questionnaire: URL_OF_FORM,
  item: Object.entries(texts).map(([linkId, answer]) => ({ linkId, answer: [answer] })),
  ...changes,
});
const GOOD = { how: { valueString: 'good' } };
const FAULTY = { how: { valueString: 'good' }, since: { valueDate: '2026-01-01' } };
const basedOn = [{ reference: `ServiceRequest/${REQUEST}` }];

before(async () => {
  await call('planner', 'PUT', `/Patient/${PATIENT}`, { resourceType: 'Patient', id: PATIENT });
  for (const [version, length] of [
    ['1', 3],
    ['2', 10],
  ] as const) {
    const made = await call('planner', 'POST', '/Questionnaire', formOf(version, length));
    assert.equal(made.status, 201, made.text);
    clock.time += 1000;
  }
});

for (const [caller, changes] of [
  ['patient', {}],
  ['key', { basedOn }],
] as const)
  test(`every error of the answers is named at its item: ${caller}`, async () => {
    const made = await call(caller, 'POST', '/QuestionnaireResponse', answers(GOOD, changes));
    assert.equal(made.status, 201, made.text);
    const refused = await call(caller, 'POST', '/QuestionnaireResponse', answers(FAULTY, changes));
    assert.equal(refused.status, 422, refused.text);
    assert.deepEqual(refused.body.issue[0].expression, ['QuestionnaireResponse.item[1]']);
    assert.match(refused.text, /Item since: The question is not to be answered/);
    const empty = await call(caller, 'POST', '/QuestionnaireResponse', answers({}, { ...changes, item: undefined }));
    assert.match(empty.text, /Item how \(How are you\?\): Enter an answer/);
  });

test('the version that is named decides, else the active one changed last; an unknown form is not checked', async () => {
  const send = async (questionnaire: string) =>
    (await call('patient', 'POST', '/QuestionnaireResponse', answers(GOOD, { questionnaire }))).status;
  assert.deepEqual(await Promise.all([`${URL_OF_FORM}|1`, `${URL_OF_FORM}|2`, URL_OF_FORM].map(send)), [422, 201, 201]);
  assert.deepEqual(await Promise.all([`${URL_OF_FORM}|3`, 'https://example.org/forms/none'].map(send)), [201, 201]);
});

test('a draft need not fit its form, its completion must; in a transaction nothing is stored', async () => {
  const draft = await call('patient', 'POST', '/QuestionnaireResponse', answers(FAULTY, { status: 'in-progress' }));
  assert.equal(draft.status, 201, draft.text);
  const address = `/QuestionnaireResponse/${draft.body.id}`;
  const put = (texts: typeof GOOD) => call('patient', 'PUT', address, { ...answers(texts), id: draft.body.id });
  assert.deepEqual([(await put(FAULTY)).status, (await put(GOOD)).status], [422, 200]);
  const total = async () => (await call('patient', 'GET', '/QuestionnaireResponse?_count=0')).body.total;
  const before = await total();
  const entry = [GOOD, FAULTY].map((texts) => ({
    resource: answers(texts),
    request: { method: 'POST', url: 'QuestionnaireResponse' },
  }));
  const refused = await call('patient', 'POST', '/', { resourceType: 'Bundle', type: 'transaction', entry });
  assert.deepEqual([refused.status, await total()], [422, before], refused.text);
});

test('staff record what was answered elsewhere, and are not held to the form', async () => {
  const given = answers(FAULTY, { subject: { reference: `Patient/${PATIENT}` } });
  const made = await call('planner', 'POST', '/QuestionnaireResponse', given);
  assert.equal(made.status, 201, made.text);
});
