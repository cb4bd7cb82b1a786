// What reaches over many types: Patient/$everything and the history of the system, each as far as the caller sees.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { BASE, startFhirRest } from '#test/support/fhir/fhir-rest.ts';
import { observationOf as observation } from '#test/support/fhir/observation.ts';

type Caller = 'admin' | 'anna' | 'bo' | 'pat';
const { call, auditEvents } = await startFhirRest({ after }, [
  'Patient',
  'Observation',
  'Encounter',
  'Practitioner',
  'Organization',
  'AuditEvent',
]);
const put = (resource: { resourceType: string; id: string }, as: Caller = 'admin') =>
  call('PUT', `/${resource.resourceType}/${resource.id}`, { as, body: resource });

for (const id of ['pat', 'two']) await put({ resourceType: 'Patient', id });
for (const id of ['doc', 'nobody']) await put({ resourceType: 'Practitioner', id });
const visit = { resourceType: 'Encounter', id: 'visit', status: 'completed', subject: { reference: 'Patient/pat' } };
await put(visit);
await put(observation('weight', 'Patient/pat', { performer: [{ reference: 'Practitioner/doc' }] }));
await put(observation('of-two', 'Patient/two'));
await put(observation('annas', 'Patient/two'), 'anna');

async function entries(path: string, as: Caller = 'admin'): Promise<string[]> {
  const { status, body, text } = await call('GET', path, { as });
  assert.equal(status, 200, text);
  assert.deepEqual(validateResource(body), []);
  return (body.entry ?? []).map((entry: { fullUrl: string; search?: { mode: string } }) =>
    [entry.fullUrl.slice(BASE.length + 1), ...(entry.search === undefined ? [] : [entry.search.mode])].join(' '),
  );
}

test('$everything holds the patient, the compartment of all types, and what that refers to', async () => {
  const found = await entries('/Patient/pat/$everything');
  assert.deepEqual(found.sort(), [
    'Encounter/visit match',
    'Observation/weight match',
    'Patient/pat match',
    'Practitioner/doc include',
  ]);
  assert.deepEqual(await entries('/Patient/pat/$everything?_type=Encounter'), ['Encounter/visit match']);
  const events = await auditEvents('patient.everything');
  assert.ok(events.some((event) => JSON.stringify(event).includes('Observation/weight')));
});

test('$everything in pages, the patient first and each resource once', async () => {
  const seen: string[] = [];
  let path: string | undefined = '/Patient/pat/$everything?_count=1';
  while (path !== undefined) {
    const { body } = await call('GET', path);
    seen.push(
      ...body.entry
        .filter((each: { search: { mode: string } }) => each.search.mode === 'match')
        .map((each: { fullUrl: string }) => each.fullUrl),
    );
    const next = body.link.find((link: { relation: string }) => link.relation === 'next');
    path = next?.url.slice(BASE.length);
  }
  assert.equal(seen.length, 3);
  assert.equal(new Set(seen).size, 3);
  assert.equal(seen[0], `${BASE}/Patient/pat`);
});

test('$everything shows what the caller sees, and nothing of a patient whom they do not see', async () => {
  assert.deepEqual((await entries('/Patient/pat/$everything', 'pat')).sort(), [
    'Encounter/visit match',
    'Observation/weight match',
    'Patient/pat match',
  ]);
  for (const [path, as] of [
    ['/Patient/two/$everything', 'pat'],
    ['/Patient/pat/$everything', 'anna'],
    ['/Patient/never/$everything', 'admin'],
  ] as const) {
    assert.equal((await call('GET', path, { as })).status, 404, path);
  }
});

test('$everything: errors are reported', async () => {
  for (const query of ['_count=0', '_since=x', '_type=Nothing', '_cursor=abc']) {
    assert.equal((await call('GET', `/Patient/pat/$everything?${query}`)).status, 400, query);
  }
  const strict = { headers: { prefer: 'handling=strict' } };
  assert.equal((await call('GET', '/Patient/pat/$everything?begin=2020-01-01', strict)).status, 400);
  for (const query of ['start=soon', 'end=2020-13', 'start=2021&end=2020', '_summary=count'])
    assert.equal((await call('GET', `/Patient/pat/$everything?${query}`)).status, 400, query);
  const later = new Date(Date.now() + 60_000).toISOString();
  assert.deepEqual(await entries(`/Patient/pat/$everything?_since=${later}`), []);
});

test('the history of the system: newest first, of all types, in pages', async () => {
  await put(observation('weight', 'Patient/pat', { note: [{ text: 'again' }] }));
  await call('DELETE', '/Practitioner/nobody');
  const all = await entries('/_history?_count=100');
  assert.deepEqual(all.slice(0, 2), ['Practitioner/nobody', 'Observation/weight']);
  assert.equal(all.length, 10);
  const seen: string[] = [];
  let path: string | undefined = '/_history?_count=3';
  while (path !== undefined) {
    seen.push(...(await entries(path)));
    const { body } = await call('GET', path);
    path = body.link.find((link: { relation: string }) => link.relation === 'next')?.url.slice(BASE.length);
  }
  assert.deepEqual(seen, all);
});

test('the history of the system is narrowed by type and time, and to what the caller sees', async () => {
  assert.deepEqual(
    new Set(await entries('/_history?_type=Patient,Encounter')),
    new Set(['Patient/pat', 'Patient/two', 'Encounter/visit']),
  );
  assert.deepEqual(await entries('/_history', 'anna'), ['Observation/annas']);
  assert.deepEqual(await entries('/_history', 'bo'), []);
  assert.deepEqual(
    new Set(await entries('/_history', 'pat')),
    new Set(['Patient/pat', 'Encounter/visit', 'Observation/weight']),
  );
  assert.deepEqual(await entries(`/_history?_since=${new Date(Date.now() + 60_000).toISOString()}`), []);
  for (const query of ['_type=Nothing', '_count=0', '_since=x', '_cursor=abc'])
    assert.equal((await call('GET', `/_history?${query}`)).status, 400, query);
});

test('$everything holds audit events only for those who ask for them', async () => {
  const event = {
    category: [{ text: 't' }],
    code: { text: 'read' },
    recorded: '2026-01-01T00:00:00Z',
    agent: [{ who: { display: 'x' } }],
    source: { observer: { display: 'y' } },
  };
  await put({ resourceType: 'Patient', id: 'seen' });
  await put({ resourceType: 'AuditEvent', id: 'look', patient: { reference: 'Patient/seen' }, ...event } as {
    resourceType: string;
    id: string;
  });
  assert.deepEqual(await entries('/Patient/seen/$everything'), ['Patient/seen match']);
  assert.deepEqual(await entries('/Patient/seen/$everything?_type=AuditEvent'), ['AuditEvent/look match']);
});

test('$everything is called by POST too, with its parameters in a Parameters', async () => {
  const parameter = [
    { name: '_type', valueCode: 'Encounter' },
    { name: '_count', valueInteger: 5 },
  ];
  const all = (await entries('/Patient/pat/$everything')).length;
  for (const [body, size] of [
    [{ resourceType: 'Parameters', parameter }, 1],
    [{ resourceType: 'Parameters' }, all],
    [undefined, all],
  ] as const) {
    const answer = await call('POST', '/Patient/pat/$everything', body === undefined ? {} : { body });
    assert.deepEqual([answer.status, answer.body.entry?.length], [200, size], answer.text);
  }
  assert.equal((await call('POST', '/Patient/pat/$everything', { body: { resourceType: 'Patient' } })).status, 400);
});

test('$everything of a period of care: what has no date of care is there in any', async () => {
  const subject = { reference: 'Patient/cared' };
  await put({ resourceType: 'Patient', id: 'cared', birthDate: '1950-01-01' } as { resourceType: string; id: string });
  await put(observation('cared-old', 'Patient/cared', { effectiveDateTime: '2019-06-01' }));
  await put(observation('cared-new', 'Patient/cared', { effectiveDateTime: '2021-03-01T10:00:00Z' }));
  await put(observation('cared-undated', 'Patient/cared', { valueDateTime: '2001-01-01' }));
  const stay = { status: 'completed', subject, actualPeriod: { start: '2019-12-30', end: '2020-01-02' } };
  await put({ resourceType: 'Encounter', id: 'cared-stay', ...stay } as { resourceType: string; id: string });
  const always = ['Observation/cared-undated match', 'Patient/cared match'];
  const inPeriod = async (query: string) => {
    const found = await entries(`/Patient/cared/$everything?${query}`);
    return found.filter((each) => !always.includes(each)).map((each) => each.split(/[/ ]/)[1]);
  };
  assert.equal((await entries('/Patient/cared/$everything')).length, 5);
  assert.deepEqual((await inPeriod('start=2020-01-01')).sort(), ['cared-new', 'cared-stay']);
  assert.deepEqual((await inPeriod('end=2019')).sort(), ['cared-old', 'cared-stay']);
  assert.deepEqual(await inPeriod('start=2020-01-02&end=2021-02'), ['cared-stay']);
  assert.deepEqual(await inPeriod('start=2022&_count=1'), []);
});
