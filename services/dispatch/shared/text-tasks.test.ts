// Text tasks (docs/adr/0058): a long text is processed in a thread with the same result; a short text with a very long
// result is refused.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { resolvePlan } from '#fhir/plans/plan-snapshot.ts';
import { createWorkerThreads, type WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { ServiceError } from '#lib/errors.ts';
import { FROZEN_FORM } from '../forms/form-tasks.ts';
import { SNAPSHOT } from '../service-requests/draft-tasks.ts';
import { pruneContained } from './contained.ts';
import { createTextWork } from './text-tasks.ts';

const threads = createWorkerThreads({
  baseUrl: 'https://dispatch.example',
  size: 1,
  url: new URL('../thread.ts', import.meta.url),
  budgetMs: 60_000,
});
after(() => threads.close());
let asked = 0;
const counting: WorkerThreads = {
  ...threads,
  perform: (work, budget) => {
    asked += 1;
    return threads.perform(work, budget);
  },
};
const texts = createTextWork(counting);

/** A plan of that many actions, each with a definition of its own. */
const planOf = (count: number) => ({
  resourceType: 'PlanDefinition',
  status: 'active',
  contained: Array.from({ length: count }, (_, at) => ({
    resourceType: 'ActivityDefinition',
    id: `a${at}`,
    status: 'active',
  })),
  action: Array.from({ length: count }, (_, at) => ({ title: `${at}`, definitionCanonical: `#a${at}` })),
});

test('a short text is processed at once, a long one in a thread, with the same result', async () => {
  for (const [count, inThread] of [
    [3, 0],
    [3000, 1],
  ] as const) {
    asked = 0;
    const body = JSON.stringify({ plan_definition: planOf(count), note: 'Ring först' });
    assert.equal(await texts.run(SNAPSHOT, { body }), SNAPSHOT.run({ body }));
    assert.equal(asked, inThread);
  }
});

test('an error in a thread has all its issues, however many there are', async () => {
  const plan = { ...planOf(3000), contained: [] };
  await assert.rejects(
    texts.run(SNAPSHOT, { body: JSON.stringify({ plan_definition: plan }) }),
    (error: ServiceError) => {
      assert.equal(error.code, 'unprocessable');
      assert.equal(error.issues.length, 100);
      assert.match(error.issues.at(-1)?.message ?? '', /and \d+ more/);
      return true;
    },
  );
});

test('a plan of tens of thousands of actions and definitions is resolved in one pass', () => {
  const started = process.cpuUsage();
  const plan = planOf(40_000);
  assert.equal(resolvePlan(plan).activities.length, 40_000);
  assert.equal(pruneContained(plan), plan);
  // Each definition refers to the next one.
  const contained = Array.from({ length: 40_000 }, (_, at) => ({ id: `c${at}`, next: `#c${at + 1}` }));
  const pruned = pruneContained({ contained, first: '#c20000' });
  assert.equal((pruned['contained'] as unknown[]).length, 20_000);
  // All have the same id, or none has one.
  const same = Array.from({ length: 200_000 }, () => ({ id: 'same', next: '#same' }));
  assert.equal((pruneContained({ contained: same, first: '#same' })['contained'] as unknown[]).length, 200_000);
  assert.deepEqual(pruneContained({ contained: Array.from({ length: 200_000 }, () => ({})) }), {});
  const { user, system } = process.cpuUsage(started);
  // A search through all definitions for each of them would take a minute.
  assert.ok(user + system < 10_000_000, `it took ${(user + system) / 1000} ms of processor time`);
});

test('a short plan that names the same transactions over and over is refused', () => {
  const observations = Array.from({ length: 500 }, () => '#o');
  const plan = {
    contained: [
      { resourceType: 'ActivityDefinition', id: 'a', observationResultRequirement: observations },
      { resourceType: 'ObservationDefinition', id: 'o' },
    ],
    action: Array.from({ length: 500 }, () => ({ definitionCanonical: '#a' })),
  };
  assert.throws(() => resolvePlan(plan), { code: 'unprocessable', message: /more than 50000 transactions/ });
});

test('a form whose items offer the same long list over and over is refused', () => {
  const concept = Array.from({ length: 1000 }, (_, at) => ({ code: `c${at}` }));
  const form = JSON.stringify({
    resourceType: 'Questionnaire',
    status: 'active',
    contained: [
      { resourceType: 'ValueSet', id: 'v', status: 'active', compose: { include: [{ system: 'urn:x', concept }] } },
    ],
    item: Array.from({ length: 101 }, (_, at) => ({ linkId: `${at}`, type: 'coding', answerValueSet: '#v' })),
  });
  const frozen = FROZEN_FORM.run({ formGuid: 'f', form, valueSets: [] });
  assert.ok('issues' in frozen && /Form f offers more than 100000 answers/.test(frozen.issues[0]?.message ?? ''));
});
