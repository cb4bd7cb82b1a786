// Answers to the forms of a request that a program sends with its status are checked as those of the page
// (docs/adr/0088).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FORM } from '#services/dispatch/testing/samples.ts';
import { startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';

const contract = await startDispatchContract({ after });

const answers = (item: readonly object[], filled = item.length === 0 ? {} : { item }) => ({
  resourceType: 'Bundle',
  type: 'collection',
  entry: [
    { resource: { resourceType: 'QuestionnaireResponse', status: 'completed', questionnaire: FORM.url, ...filled } },
  ],
});
const NO = { linkId: '1', answer: [{ valueBoolean: false }] };
const MUCH = { linkId: '2', answer: [{ valueCoding: { code: 'much' } }] };

test('errors are named at their items, and nothing is stored; what fits the form is taken', async () => {
  const { request } = await contract.pushed();
  const send = (...item: object[]) =>
    contract.ask(`POST /requests/${request}/status`, {
      as: 'provider',
      body: { status: 'in_progress', results: answers(item) },
    });
  const refused = await send(NO, MUCH);
  assert.deepEqual([refused.status, contract.world.results.length], [400, 0], refused.text);
  assert.match(
    refused.text,
    /results\.entry\[0\]\.resource: QuestionnaireResponse\.item\[1\] Item 2 \(How much\?\): The question is not to be/,
  );
  assert.match((await send()).text, /Item 1 \(Short of breath\?\): Enter an answer/);
  const both = (await send({ linkId: '2', answer: [{ valueCoding: 'much' }] })).text;
  assert.match(both, /QuestionnaireResponse\.item\[0\]\.answer\[0\]\.value Item 2: /);
  assert.match(both, /Item 1 \(Short of breath\?\): Enter an answer/);
  const taken = await send(NO);
  assert.equal(taken.status, 200, taken.text);
});
