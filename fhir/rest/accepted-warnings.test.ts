// Prefer: return=OperationOutcome asks for the warnings about what was written. A check that is busy, gives up or ends
// leaves the write as it is: it is answered as done, and done once.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { ServiceError } from '#lib/errors.ts';
import { bundleOf, entryOf as entry, personOf, weightOf } from '#test/support/fhir/bundle.ts';
import { BASE, startFhirRest } from '#test/support/fhir/fhir-rest.ts';
import { fifty } from '#test/support/system/at-once.ts';
import { createWorkerThreads } from './threads/worker-threads.ts';

/** How a check of warnings fails, by the family name of whom it checks. */
const FAILURES = new Map<string, () => Error>([
  ['Busy', () => new ServiceError('unavailable', 'Too many large requests are under way')],
  ['Spent', () => new ServiceError('unprocessable', 'The request takes more than 1 s of processor time')],
  ['Ended', () => new Error('A thread ended before its work')],
]);
const FAMILIES = [...FAILURES.keys()];
const failureFor = (text: string) => [...FAILURES].find(([family]) => text.includes(`"family":"${family}`))?.[1];

const threads = createWorkerThreads({ baseUrl: BASE, size: 1, budgetMs: 600_000 });
after(() => threads.close());
const { call, auditEvents } = await startFhirRest({ after }, ['Patient', 'Observation'], undefined, {
  workerThreads: {
    ...threads,
    checkNow: (source, follows) =>
      failureFor(source.text) === undefined ? threads.checkNow(source, follows) : undefined,
    check: async (source, follows) => {
      const failure = failureFor(source.text);
      if (failure !== undefined) throw failure();
      return threads.check(source, follows);
    },
  },
});

const headers = { prefer: 'return=OperationOutcome' };
const person = (family: string, more: object = {}) => ({ ...personOf(family, more), name: [{ family }] });
const total = async (query: string): Promise<number> =>
  (await call('GET', `/${query}${query.includes('?') ? '&' : '?'}_summary=count`)).body.total;
const issuesOf = ({ issue }: { readonly issue: readonly { readonly severity: string; readonly code: string }[] }) =>
  issue.map(({ severity, code }) => `${severity} ${code}`);
const UNKNOWN = ['information incomplete'];

test('a create, an update and a patch that are stored are answered as such, though their warnings cannot be worked out', async () => {
  for (const family of FAMILIES) {
    const created = await call('POST', '/Patient', { body: person(family), headers });
    assert.deepEqual([created.status, issuesOf(created.body)], [201, UNKNOWN], created.text);
    assert.deepEqual(validateResource(created.body), []);
    const conditional = { body: person(family), headers: { ...headers, 'if-none-exist': `family=${family}` } };
    assert.equal((await call('POST', '/Patient', conditional)).status, 200);
    const id = String(created.headers['location']).split('/').at(-3);
    const put = { body: person(family, { id, active: true }), headers };
    for (const path of [`/Patient/${id}`, `/Patient?family=${family}`]) {
      const updated = await call('PUT', path, put);
      assert.deepEqual([updated.status, issuesOf(updated.body)], [200, UNKNOWN], updated.text);
      const body = [{ op: 'add', path: '/gender', value: path.includes('?') ? 'male' : 'female' }];
      const patched = await call('PATCH', path, { body, headers, contentType: 'application/json-patch+json' });
      assert.deepEqual([patched.status, issuesOf(patched.body)], [200, UNKNOWN], patched.text);
    }
    assert.equal(await total(`Patient?family=${family}`), 1);
  }
});

test('transactions of several callers are carried out once, whichever of their answers lacks its warnings', async () => {
  const families = [...FAMILIES, 'Judged', 'Plain'];
  const answers = await fifty((index) => {
    const family = `${families[index % families.length]}Group`;
    const entries = [
      entry('POST', 'Patient', person(family), { fullUrl: 'urn:uuid:019a0000-0000-7000-8000-000000000001' }),
      entry('POST', 'Observation', weightOf('urn:uuid:019a0000-0000-7000-8000-000000000001')),
    ];
    const body = bundleOf('transaction', entries);
    return call('POST', '/$transaction', { body, headers: family === 'PlainGroup' ? {} : headers });
  });
  for (const { status, text } of answers) assert.equal(status, 200, text);
  for (const family of families) assert.equal(await total(`Patient?family=${family}Group`), 10, family);
  assert.equal(await total('Observation'), 50);
  assert.deepEqual(issuesOf(answers[0]?.body.entry[0].response.outcome), UNKNOWN);
  assert.deepEqual(issuesOf(answers[0]?.body.entry[1].response.outcome), ['success success']);
  assert.deepEqual(issuesOf(answers[3]?.body.entry[0].response.outcome), ['success success']);
  const id = String(answers[0]?.body.entry[0].response.location).split('/').at(-3);
  assert.equal((await auditEvents(`%patient.create%${id}`)).length, 1);
});

test('a transaction whose condition finds what is there answers the warnings about that', async () => {
  await call('POST', '/Patient', { body: person('Known') });
  for (const family of ['Known', 'Busy']) {
    const entries = [
      entry('POST', 'Patient', person(family), { ifNoneExist: `family:exact=${family}` }),
      entry('POST', 'Observation', weightOf('Patient/x')),
    ];
    const answer = await call('POST', '/$transaction', { body: bundleOf('transaction', entries), headers });
    assert.equal(answer.status, 200, answer.text);
    const [found] = answer.body.entry;
    assert.equal(found.response.status, '200 OK');
    assert.deepEqual(issuesOf(found.response.outcome), family === 'Known' ? ['success success'] : UNKNOWN);
  }
});
