// References must point to existing resources when KEDJA_CHECK_REFERENCES is set (decision E3).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { lastFirst } from '#test/support/hooks.ts';

const hooks = lastFirst({ after });
const strict = await startTestEngine(hooks, { checksReferences: true });
const lax = await startTestEngine(hooks, { database: strict.database });

const observation = (subject: string, more: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'A' },
  subject: { reference: subject },
  ...more,
});
const entry = (fullUrl: string, resource: { resourceType: string }, url = resource.resourceType) => ({
  fullUrl,
  resource,
  request: { method: url === resource.resourceType ? 'POST' : 'PUT', url },
});
const ABSENT = 'Patient/01900000-0000-7000-8000-0000000000aa';

const expressions = (body: { issue: { expression?: string[] }[] }) =>
  body.issue.flatMap(({ expression = [] }) => expression);

test('the references of a long resource are looked at too, each of those to one address', async () => {
  const performers = [...Array.from({ length: 1_500 }, (_, at) => `Practitioner/none-${at}`), 'Practitioner/none-0'];
  const performer = performers.map((reference) => ({ reference, display: 'x'.repeat(40) }));
  const refused = await strict.call(
    'planner',
    'POST',
    '/Observation',
    observation(`Patient/${PATIENT}`, { performer }),
  );
  assert.equal(refused.status, 422, refused.text);
  const places = expressions(refused.body);
  assert.deepEqual(places.slice(0, 3), [
    'Observation.subject.reference',
    'Observation.performer[0].reference',
    'Observation.performer[1500].reference',
  ]);
  assert.equal(refused.body.issue.length, 100);
});

test('a reference to a missing resource refuses create, update and patch, and is reported with its path', async () => {
  const refused = await strict.call(
    'planner',
    'POST',
    '/Observation',
    observation(ABSENT, { performer: [{ display: 'A' }, { reference: 'Practitioner/none' }] }),
  );
  assert.equal(refused.status, 422, refused.text);
  assert.deepEqual(expressions(refused.body), ['Observation.subject.reference', 'Observation.performer[1].reference']);
  assert.ok(!refused.text.includes(ABSENT));
  const allowed = await lax.call('planner', 'POST', '/Observation', observation(ABSENT));
  assert.equal(allowed.status, 201, allowed.text);
  const { id } = allowed.body;
  assert.equal((await strict.call('planner', 'PUT', `/Observation/${id}`, { ...observation(ABSENT), id })).status, 422);
  const validated = await strict.call('planner', 'POST', '/$validate', observation(ABSENT));
  assert.deepEqual(expressions(validated.body), ['Observation.subject.reference']);
});

test('a reference is accepted when it is to an existing, external or contained resource, or not literal', async () => {
  await strict.call('planner', 'PUT', `/Patient/${PATIENT}`, { resourceType: 'Patient', id: PATIENT });
  const own = await strict.call('planner', 'POST', '/Observation', observation(`Patient/${PATIENT}`));
  assert.equal(own.status, 201, own.text);
  const self = observation(`Patient/${PATIENT}`, {
    id: own.body.id,
    hasMember: [{ reference: `Observation/${own.body.id}` }],
  });
  assert.equal((await strict.call('planner', 'PUT', `/Observation/${own.body.id}`, self)).status, 200);
  for (const reference of ['https://other.example/fhir/Patient/1', 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520']) {
    const answer = await strict.call('planner', 'POST', '/Observation', observation(reference));
    assert.equal(answer.status, 201, answer.text);
  }
  const contained = observation('#p', { contained: [{ resourceType: 'Patient', id: 'p' }] });
  assert.equal((await strict.call('planner', 'POST', '/Observation', contained)).status, 201);
});

test('what the caller may not see counts as absent', async () => {
  const made = await strict.call('admin', 'POST', '/Patient', { resourceType: 'Patient' });
  assert.equal(made.status, 201, made.text);
  const hidden = `Patient/${made.body.id}`;
  const isSeen = (await strict.call('planner', 'GET', `/${hidden}`)).status === 200;
  assert.equal(isSeen, false);
  const byOther = await strict.call('planner', 'POST', '/Observation', observation(hidden));
  const byNobody = await strict.call('planner', 'POST', '/Observation', observation(ABSENT));
  assert.deepEqual([byOther.status, expressions(byOther.body)], [422, expressions(byNobody.body)]);
});

test('the entries of a transaction may refer to each other, and to nothing else that is not there', async () => {
  const fullUrl = 'urn:uuid:0b6a1f4e-94d6-4a5b-8e88-3f4f0f6a5d11';
  const other = 'urn:uuid:0b6a1f4e-94d6-4a5b-8e88-3f4f0f6a5d12';
  const transaction = (...entries: object[]) => ({ resourceType: 'Bundle', type: 'transaction', entry: entries });
  const patient = { resourceType: 'Patient', id: '01900000-0000-7000-8000-0000000000bb' };
  const good = transaction(
    entry(other, observation(fullUrl)),
    entry(fullUrl, { resourceType: 'Patient' }),
    entry('urn:uuid:0b6a1f4e-94d6-4a5b-8e88-3f4f0f6a5d13', observation(`Patient/${patient.id}`)),
    entry('urn:uuid:0b6a1f4e-94d6-4a5b-8e88-3f4f0f6a5d14', patient, `Patient/${patient.id}`),
  );
  const accepted = await strict.call('planner', 'POST', '', good);
  assert.equal(accepted.status, 200, accepted.text);
  const refused = await strict.call(
    'planner',
    'POST',
    '',
    transaction(entry(fullUrl, { resourceType: 'Patient' }), entry(other, observation(ABSENT))),
  );
  assert.equal(refused.status, 422, refused.text);
  assert.match(refused.text, /Bundle.entry\[1\]/);
});
