// Transactions: all or nothing, references between entries, FHIR's order, conditions, errors that name their entry.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { bundleOf, entryOf as entry, weightOf as observation, personOf as person } from '#test/support/fhir/bundle.ts';
import { BASE, type FhirCallOptions, startFhirRest } from '#test/support/fhir/fhir-rest.ts';
import { fifty } from '#test/support/system/at-once.ts';

const { call, auditEvents } = await startFhirRest({ after }, ['Patient', 'Observation', 'Encounter', 'Group']);
const URN = 'urn:uuid:019a0000-0000-4000-8000-0000000000';
const urn = (number: number) => URN + String(number).padStart(2, '0');
const send = (entries: object[], options: FhirCallOptions = {}) =>
  call('POST', '/$transaction', { ...options, body: bundleOf('transaction', entries) });
const total = async (query: string) => (await call('GET', `/${query}`)).body.total;
const statuses = (body: { entry: { response: { status: string } }[] }) =>
  body.entry.map(({ response }) => response.status);

test('new resources refer to each other by their fullUrls, whatever the order', async () => {
  const answer = await send([
    entry('POST', 'Observation', observation(urn(1), { encounter: { reference: `${urn(2)}` } })),
    entry(
      'POST',
      'Encounter',
      { resourceType: 'Encounter', status: 'completed', subject: { reference: urn(1) } },
      { fullUrl: urn(2) },
    ),
    entry('POST', 'Patient', person(urn(1)), { fullUrl: urn(1) }),
  ]);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual([answer.body.resourceType, answer.body.type], ['Bundle', 'transaction-response']);
  assert.deepEqual(validateResource(answer.body), []);
  const [weight, visit, patient] = answer.body.entry;
  assert.deepEqual(statuses(answer.body), ['201 Created', '201 Created', '201 Created']);
  assert.equal(weight.resource.subject.reference, `Patient/${patient.resource.id}`);
  assert.equal(weight.resource.encounter.reference, `Encounter/${visit.resource.id}`);
  assert.equal(weight.response.location, `${BASE}/Observation/${weight.resource.id}/_history/1`);
  assert.equal(weight.response.etag, 'W/"1"');
  // An identifier that looks the same is no reference.
  assert.equal(patient.resource.identifier[0].value, urn(1));
  assert.equal(await total(`Observation?subject=Patient/${patient.resource.id}`), 1);
  const single = await call('GET', `/Encounter/${visit.resource.id}`);
  assert.deepEqual(single.body, visit.resource);
});

test('links in narratives, and relative references of an entry with an absolute fullUrl are put right', async () => {
  const other = 'https://other.example/fhir';
  const text = {
    status: 'generated',
    div: `<div xmlns="http://www.w3.org/1999/xhtml"><a href="${urn(4)}">p</a></div>`,
  };
  const answer = await send([
    entry('POST', 'Patient', person('abs', { text }), { fullUrl: `${other}/Patient/77` }),
    entry('POST', 'Observation', observation('Patient/77'), { fullUrl: `${other}/Observation/1` }),
    entry('POST', 'Observation', observation('Patient/77')),
    entry('POST', 'Patient', person('plain', { link: [{ type: 'seealso', other: { reference: urn(4) } }] }), {
      fullUrl: urn(4),
    }),
  ]);
  assert.equal(answer.status, 200, answer.text);
  const [patient, near, far, own] = answer.body.entry;
  assert.equal(near.resource.subject.reference, `Patient/${patient.resource.id}`);
  assert.equal(far.resource.subject.reference, 'Patient/77');
  assert.ok(patient.resource.text.div.includes(`href="Patient/${own.resource.id}"`));
  assert.equal(own.resource.link[0].other.reference, `Patient/${own.resource.id}`);
});

test('deletions come first, reads last, and reads see what was written', async () => {
  await call('PUT', '/Patient/leaving', { body: person('seat', { id: 'leaving' }) });
  const answer = await send([
    entry('GET', 'Patient?identifier=urn:t|seat'),
    entry('GET', 'Patient/arriving'),
    entry('PUT', 'Patient/arriving', person('seat', { id: 'arriving' })),
    entry('POST', 'Patient', person('seat'), { ifNoneExist: 'identifier=urn:t|seat' }),
    entry('DELETE', 'Patient/leaving'),
    entry('HEAD', 'Patient/arriving'),
  ]);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(statuses(answer.body), [
    '200 OK',
    '200 OK',
    '201 Created',
    '201 Created',
    '204 No Content',
    '200 OK',
  ]);
  const [found, read, , , , head] = answer.body.entry;
  assert.equal(found.resource.total, 2);
  assert.equal(read.resource.id, 'arriving');
  assert.equal(head.resource, undefined);
});

test('conditional creates, updates and references mean what is there; a repeated condition means the same one', async () => {
  const { body: known } = await call('POST', '/Patient', { body: person('known') });
  const answer = await send([
    entry('POST', 'Patient', person('known'), { fullUrl: urn(10), ifNoneExist: 'identifier=urn:t|known' }),
    entry('PUT', 'Patient?identifier=urn:t|fresh', person('fresh'), { fullUrl: urn(11) }),
    entry('POST', 'Patient', person('twice'), { fullUrl: urn(12), ifNoneExist: 'identifier=urn:t|twice' }),
    entry('POST', 'Patient', person('twice'), { fullUrl: urn(13), ifNoneExist: 'identifier=urn:t|twice' }),
    ...[urn(10), urn(11), urn(13), 'Patient?identifier=urn:t|known'].map((subject) =>
      entry('POST', 'Observation', observation(subject)),
    ),
  ]);
  assert.equal(answer.status, 200, answer.text);
  const [first, fresh, made, same, ...observations] = answer.body.entry;
  assert.deepEqual(statuses(answer.body).slice(0, 4), ['200 OK', '201 Created', '201 Created', '200 OK']);
  assert.equal(first.resource.id, known.id);
  assert.equal(same.resource.id, made.resource.id);
  assert.deepEqual(
    observations.map((each: { resource: { subject: { reference: string } } }) => each.resource.subject.reference),
    [known.id, fresh.resource.id, made.resource.id, known.id].map((id) => `Patient/${id}`),
  );
  const again = await send([
    entry('PUT', 'Patient?identifier=urn:t|fresh', person('fresh', { active: true })),
    entry('DELETE', 'Patient?identifier=urn:t|twice'),
  ]);
  assert.deepEqual(statuses(again.body), ['200 OK', '204 No Content']);
  assert.deepEqual(
    [again.body.entry[0].resource.id, again.body.entry[0].resource.meta.versionId],
    [fresh.resource.id, '2'],
  );
});

test('patches of both kinds', async () => {
  const { body: made } = await call('POST', '/Patient', { body: person('patched') });
  const { body: other } = await call('POST', '/Patient', { body: person('patched2') });
  const operations = Buffer.from(JSON.stringify([{ op: 'add', path: '/active', value: true }])).toString('base64');
  const part = [
    { name: 'type', valueCode: 'add' },
    { name: 'path', valueString: 'Patient' },
    { name: 'name', valueString: 'gender' },
    { name: 'value', valueCode: 'other' },
  ];
  const answer = await send([
    entry('PATCH', `Patient/${made.id}`, {
      resourceType: 'Binary',
      contentType: 'application/json-patch+json',
      data: operations,
    }),
    entry('PATCH', `Patient/${other.id}`, { resourceType: 'Parameters', parameter: [{ name: 'operation', part }] }),
  ]);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual([answer.body.entry[0].resource.active, answer.body.entry[1].resource.gender], [true, 'other']);
});

test('one entry that fails takes all others with it, and is named with the place of each error', async () => {
  const before = await total('Patient?_total=accurate');
  const failing: readonly (readonly [status: number, entries: object[], expression: string])[] = [
    [
      422,
      [entry('POST', 'Patient', person('x')), entry('POST', 'Patient', person('y', { gender: 'nonsense' }))],
      'Bundle.entry[1].resource.gender',
    ],
    [404, [entry('POST', 'Patient', person('x')), entry('GET', 'Patient/nowhere')], 'Bundle.entry[1]'],
    [
      412,
      [
        entry('PUT', 'Patient/some', person('x', { id: 'some' })),
        entry('PUT', 'Patient/other', person('x', { id: 'other' }), { ifMatch: 'W/"3"' }),
      ],
      'Bundle.entry[1]',
    ],
    [
      422,
      [
        entry('POST', 'Observation', observation('Patient?identifier=urn:t|nobody')),
        entry('POST', 'Patient', person('x')),
      ],
      'Bundle.entry[0]',
    ],
    [400, [entry('PUT', 'Patient/a', person('x', { id: 'a' })), entry('DELETE', 'Patient/a')], 'Bundle.entry[1]'],
    [
      400,
      [
        entry('POST', 'Patient', person('x'), { fullUrl: urn(20) }),
        entry('POST', 'Patient', person('y'), { fullUrl: urn(20) }),
      ],
      'Bundle.entry[1]',
    ],
  ];
  for (const [status, entries, expression] of failing) {
    const answer = await send(entries);
    assert.deepEqual([answer.status, answer.body.resourceType], [status, 'OperationOutcome'], answer.text);
    assert.deepEqual(answer.body.issue[0].expression, [expression], answer.text);
  }
  assert.equal(await total('Patient?_total=accurate'), before);
});

test('every entry that is none is named, before anything is done', async () => {
  const answer = await send([
    { resource: person('x') },
    entry('JUMP', 'Patient'),
    entry('POST', 'Patient'),
    entry('GET', 'Patient', person('x')),
    entry('POST', 'Observation', person('x')),
    entry('PUT', 'Patient', person('x')),
    entry('POST', 'Patient/1', person('x')),
    entry('GET', 'Nothing/1'),
    entry('GET', 'Patient/1/2/3/4'),
    entry('POST', 'Patient', person('fine')),
  ]);
  assert.equal(answer.status, 400);
  const places = answer.body.issue.map(({ expression }: { expression: string[] }) => expression[0]);
  assert.deepEqual(
    places,
    Array.from({ length: 9 }, (_, index) => `Bundle.entry[${index}]`),
  );
  assert.equal(await total('Patient?identifier=urn:t|fine'), 0);
  const many = await send(Array.from({ length: 5001 }, () => entry('GET', 'Patient/1')));
  assert.match(many.body.issue[0].details.text, /at most 5000/);
  const kinds: object[] = [{ type: 'batch' }, { type: 'collection' }, {}];
  for (const kind of kinds)
    assert.equal((await call('POST', '/$transaction', { body: { resourceType: 'Bundle', ...kind } })).status, 400);
  assert.equal((await call('POST', '/$transaction', { body: person('x') })).status, 400);
  assert.deepEqual(
    statuses(
      (
        await call('POST', '', {
          body: { resourceType: 'Bundle', type: 'transaction', entry: [entry('GET', 'Patient?_count=1')] },
        })
      ).body,
    ),
    ['200 OK'],
  );
});

test('each entry is decided by the rights of the caller', async () => {
  assert.equal((await send([entry('POST', 'Patient', person('z'))], { as: 'pat' })).status, 403);
  const { body: hidden } = await call('POST', '/Patient', { as: 'anna', body: person('hidden') });
  assert.equal((await send([entry('GET', `Patient/${hidden.id}`)], { as: 'bo' })).status, 404);
  const seen = await send([entry('GET', 'Patient?identifier=urn:t|hidden')], { as: 'bo' });
  assert.equal(seen.body.entry[0].resource.total, 0);
});

test('what is preferred back, and the audit record of all entries', async () => {
  const minimal = await send([entry('POST', 'Patient', person('quiet'))], { headers: { prefer: 'return=minimal' } });
  assert.deepEqual(Object.keys(minimal.body.entry[0]), ['response']);
  const outcome = await send([entry('POST', 'Patient', person('told'))], {
    headers: { prefer: 'return=OperationOutcome' },
  });
  assert.equal(outcome.body.entry[0].response.outcome.resourceType, 'OperationOutcome');
  assert.deepEqual(validateResource(outcome.body), []);
  const id = minimal.body.entry[0].response.location.split('/').at(-3);
  assert.equal((await auditEvents(`Patient/${id}`)).length, 1);
});

test('of 50 transactions with the same condition one creates, and all others find it', async () => {
  const answers = await fifty((index) =>
    send([
      entry('POST', 'Patient', person('raced'), { fullUrl: urn(30), ifNoneExist: 'identifier=urn:t|raced' }),
      entry('POST', 'Observation', observation(urn(30), { note: [{ text: `n${index}` }] })),
    ]),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(await total('Patient?identifier=urn:t|raced'), 1);
  assert.equal(await total('Observation?subject:Patient.identifier=urn:t|raced'), 50);
});

test('many entries at once', async () => {
  const entries = Array.from({ length: 1000 }, (_, index) =>
    entry('POST', 'Observation', observation(urn(40), { note: [{ text: `${index}` }] })),
  );
  const answer = await send([...entries, entry('POST', 'Patient', person('busy'), { fullUrl: urn(40) })]);
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  assert.equal(await total('Observation?subject:Patient.identifier=urn:t|busy'), 1000);
});

test('what two entries mean by their conditions is written once, or the transaction is refused', async () => {
  const made = await send([
    entry('POST', 'Patient', person('w1'), { ifNoneExist: 'identifier=urn:t|w1' }),
    entry('POST', 'Patient', person('w1'), { ifNoneExist: '?identifier=urn%3At%7Cw1' }),
  ]);
  assert.deepEqual(statuses(made.body), ['201 Created', '200 OK']);
  assert.equal(await total('Patient?identifier=urn:t|w1'), 1);
  const { id } = made.body.entry[0].resource;
  const patch = {
    resourceType: 'Binary',
    contentType: 'application/json-patch+json',
    data: Buffer.from('[{"op":"add","path":"/active","value":true}]').toString('base64'),
  };
  const put = entry('PUT', 'Patient?identifier=urn:t|w2', person('w2'));
  for (const entries of [
    [put, put],
    [put, entry('POST', 'Patient', person('w2'), { ifNoneExist: 'identifier=urn:t|w2' })],
    [entry('DELETE', 'Patient?identifier=urn:t|w1'), entry('PUT', `Patient/${id}`, person('w1', { id }))],
    [entry('PATCH', `Patient/${id}`, patch), entry('PATCH', 'Patient?identifier=urn:t|w1', patch)],
  ]) {
    const answer = await send(entries);
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.body.issue[0].details.text, /is about the same resource as entry [12]/);
  }
  assert.equal(await total('Patient?identifier=urn:t|w2'), 0);
  assert.equal((await call('GET', `/Patient/${id}`)).body.meta.versionId, '1');
});

test('a conditional reference may mean what the same transaction writes', async () => {
  const repeated = { ifNoneExist: 'identifier=urn:t|late-visit' };
  const visit = {
    resourceType: 'Encounter',
    status: 'completed',
    identifier: [{ system: 'urn:t', value: 'late-visit' }],
    subject: { reference: 'Patient?identifier=urn:t|late' },
  };
  const answer = await send([
    entry('POST', 'Observation', observation('Patient?identifier=urn:t|late-put')),
    entry('POST', 'Encounter', visit, { ...repeated, fullUrl: urn(1) }),
    entry('POST', 'Encounter', visit, repeated),
    entry('POST', 'Observation', observation('Patient?identifier=urn:t|late', { encounter: { reference: urn(1) } })),
    entry('POST', 'Patient', person('late')),
    entry('PUT', 'Patient/late-put', person('late-put', { id: 'late-put' })),
  ]);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(
    statuses(answer.body).map((status) => status.slice(0, 3)),
    ['201', '201', '200', '201', '201', '201'],
  );
  const [ofPut, made, again, ofVisit, patient] = answer.body.entry.map((each: { resource: unknown }) => each.resource);
  assert.equal(ofPut.subject.reference, 'Patient/late-put');
  assert.deepEqual(
    [made.subject.reference, again.id, ofVisit.subject.reference, ofVisit.encounter.reference],
    [`Patient/${patient.id}`, made.id, `Patient/${patient.id}`, `Encounter/${made.id}`],
  );
  const circle = [
    entry(
      'POST',
      'Patient',
      person('circle', { link: [{ type: 'seealso', other: { reference: 'Patient?identifier=urn:t|circle' } }] }),
    ),
  ];
  const refused = await send(circle);
  assert.deepEqual([refused.status, refused.body.issue[0].expression], [422, ['Bundle.entry[0]']]);
});

test('operations that only read see what the transaction has written; one that writes refuses it', async () => {
  const labels = { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { tag: [{ code: 'x' }] } }] };
  const reads = [
    entry('GET', 'Patient/of-operations/$everything'),
    entry('POST', 'Observation/$validate', observation('Patient/of-operations')),
    entry('GET', 'Patient/of-operations/$meta'),
    entry('GET', '_history?_type=Patient&_count=1'),
  ];
  const put = entry('PUT', 'Patient/of-operations', person('ops', { id: 'of-operations' }));
  const refused = await send([put, entry('POST', 'Patient/of-operations/$meta-add', labels)]);
  assert.deepEqual([refused.status, refused.body.issue[0].expression], [400, ['Bundle.entry[1]']]);
  assert.match(refused.body.issue[0].details.text, /\$meta-add writes: it is no part of a transaction/);
  const failed = await send([put, entry('GET', 'Patient/of-nobody/$everything')]);
  assert.deepEqual([failed.status, failed.body.issue[0].expression], [404, ['Bundle.entry[1]']]);
  assert.equal((await call('GET', '/Patient/of-operations')).status, 404);
  const answer = await send([...reads, put]);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(validateResource(answer.body), []);
  const [all, valid, meta, changes] = answer.body.entry.map((each: { resource: unknown }) => each.resource);
  assert.deepEqual(
    all.entry.map((each: { resource: { id: string } }) => each.resource.id),
    ['of-operations'],
  );
  assert.equal(valid.issue[0].severity, 'success');
  assert.equal(meta.parameter[0].valueMeta.versionId, '1');
  assert.equal(changes.entry[0].resource.id, 'of-operations');
});

test('of invalid resources every error of every entry is reported, in their order', async () => {
  const before = await total('Patient');
  const invalid = { resourceType: 'Patient', gender: 'nonsense', birthDate: '1950-02-30' };
  const { status, body } = await send([
    entry('POST', 'Patient', person(urn(61)), { fullUrl: urn(61) }),
    entry('PUT', 'Patient/faulty', { ...invalid, id: 'faulty' }),
    entry('POST', 'Observation', { resourceType: 'Observation', status: 'final', subject: { reference: urn(61) } }),
    entry('POST', 'Patient', invalid),
    entry('GET', 'Patient/never'),
  ]);
  assert.equal(status, 422);
  assert.deepEqual(
    body.issue.map((issue: { expression: string[] }) => issue.expression[0]),
    [
      'Bundle.entry[1].resource.gender',
      'Bundle.entry[1].resource.birthDate',
      'Bundle.entry[2].resource.code',
      'Bundle.entry[3].resource.gender',
      'Bundle.entry[3].resource.birthDate',
    ],
  );
  assert.match(body.issue[2].details.text, /^Entry 3 \(POST Observation\): /);
  assert.equal(await total('Patient'), before);
});
