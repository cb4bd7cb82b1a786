// A form is validated as the plan service wrote it when it is frozen (decision D3), with the digits of its numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceError } from '#lib/errors.ts';
import { createTextWork } from '../shared/text-tasks.ts';
import { freezeForms } from './frozen-form.ts';

const form = (maxLength: string) =>
  `{"resourceType":"Questionnaire","id":"f","status":"active","title":"F","item":[{"linkId":"1","type":"string","text":"A","maxLength":${maxLength}}]}`;

async function freeze(text: string) {
  const plans = { readForm: async () => text, expandValueSet: async () => undefined };
  return freezeForms({ plans, texts: createTextWork() }, ['f']);
}

test('a whole number is written as such', async () => {
  const [frozen] = await freeze(form('10'));
  assert.match(frozen?.questionnaire ?? '', /"maxLength":10\b/);
  await assert.rejects(freeze(form('10.0')), ({ code, message }: ServiceError) => {
    assert.equal(code, 'unprocessable');
    assert.match(message, /Questionnaire\.item\[0\]\.maxLength must be written as a whole number/);
    return true;
  });
});

test('the forms of a request are frozen one after the other, however many they are', async () => {
  const under = { way: 0, most: 0 };
  const readForm = async (id: string) => {
    under.way += 1;
    under.most = Math.max(under.most, under.way);
    await new Promise((resolve) => setImmediate(resolve));
    under.way -= 1;
    return form('10').replace('"id":"f"', `"id":"${id}"`);
  };
  const ids = Array.from({ length: 40 }, (_, index) => `f${index}`);
  const plans = { readForm, expandValueSet: async () => undefined };
  const frozen = await freezeForms({ plans, texts: createTextWork() }, ids);
  assert.deepEqual(
    frozen.map(({ questionnaire }) => JSON.parse(questionnaire).id),
    ids,
  );
  assert.equal(under.most, 1);
});
