// Push and push-one (D6) with the consent gate (D7), over HTTP and against a real database.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { newGuid } from '#lib/guid.ts';
import { startReceiver } from '../testing/receiver.ts';
import { createSendingBench, ORGANISATION } from '../testing/sending-bench.ts';
import { buildPushBundle } from './bundle.ts';

const bench = await createSendingBench({ after });
const { call, clock, db } = bench;

const push = (id: string, body?: object) => call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, body);

test('push answers 202, moves every pending match and writes receipt, feed entry and delivery with it', async (t) => {
  const receiver = await startReceiver(t);
  const [withEndpoint, withoutEndpoint] = [newGuid(), newGuid()];
  const put = await call('admin', 'PUT', `/api/v1/providers/${withEndpoint}/endpoint`, { url: receiver.url });
  assert.equal(put.status, 201);
  const { id, patientGuid } = await bench.request([withEndpoint, withoutEndpoint]);
  const respondBy = new Date(clock.time + 86_400_000).toISOString();
  const answer = await push(id, { selection: 'first', respond_by: respondBy });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  assert.deepEqual(Object.keys(answer.body), ['pushed', 'blocked', 'already']);
  const matches = await bench.matches(id);
  assert.deepEqual(
    matches.map(({ status, respondBy: by }) => [status, by?.toISOString()]),
    [
      ['pushed', respondBy],
      ['pushed', respondBy],
    ],
  );
  assert.equal((await bench.record(id)).selection, 'first');
  const byMatch = new Map(answer.body.pushed.map((item: { match_guid: string }) => [item.match_guid, item]));
  for (const match of matches) {
    const item = byMatch.get(match.matchGuid) as { request_guid: string; delivery_guid: string | null };
    assert.equal(item.request_guid, match.requestGuid);
    assert.equal(item.delivery_guid === null, match.providerGuid === withoutEndpoint);
  }
  assert.equal(await bench.sending.worker.runOnce(), 1);
  const payload = receiver.verify(receiver.ledger[0]!, put.body.secret) as {
    data: { bundle: Record<string, unknown> };
  };
  const bundle = payload.data.bundle as {
    type: string;
    entry: { fullUrl: string; resource: Record<string, unknown> }[];
  };
  assert.deepEqual(
    validateResource(bundle).filter(({ severity }) => severity !== 'warning'),
    [],
  );
  assert.equal(bundle.type, 'collection');
  const patient = bundle.entry.find(({ resource }) => resource['resourceType'] === 'Patient')?.resource;
  assert.deepEqual(patient, {
    resourceType: 'Patient',
    id: patientGuid,
    name: [{ family: 'Öberg', given: ['Åsa'] }],
    gender: 'female',
    birthDate: '1950-01-02',
    managingOrganization: { reference: `Organization/${ORGANISATION}` },
  });
  const again = await push(id);
  assert.equal(again.status, 409);
  assert.equal(again.body.issue[0].details.coding[0].code, 'conflict');
});

test('every form is a Binary with its render-ready JSON', async () => {
  const { id } = await bench.request([newGuid()]);
  const form = newGuid();
  const renderReady = '{"version":1,"title":"Vikt","items":[1.0]}';
  await db.query(
    `INSERT INTO form_attachment (service_request_id, form_attachment_guid, form_guid, title, position, questionnaire, render_ready,
       created_at) VALUES ($1, $2, $3, 'Vikt', 1, '{}', $4, now())`,
    [id, form, newGuid(), renderReady],
  );
  assert.equal((await push(id)).status, 202);
  const { rows } = await db.query<{ content: string }>(
    'SELECT content FROM push_bundle WHERE service_request_id = $1',
    [id],
  );
  const bundle = JSON.parse(rows[0]!.content);
  assert.deepEqual(validateResource(bundle), []);
  const binary = bundle.entry.find((entry: { resource: { id: string } }) => entry.resource.id === form).resource;
  assert.equal(binary.contentType, 'application/json');
  assert.equal(Buffer.from(binary.data, 'base64').toString(), renderReady);
});

test('without consent nothing is pushed: 403, and the match stays pending with the reason', async () => {
  for (const [consent, reason] of [
    ['none', 'consent_missing'],
    ['deny', 'consent_denied'],
  ] as const) {
    const { id } = await bench.request([newGuid()], consent);
    const answer = await push(id);
    assert.equal(answer.status, 403);
    assert.equal(answer.body.issue[0].details.coding[0].code, 'consent_required');
    const [match] = await bench.matches(id);
    assert.equal(match?.status, 'pending');
    assert.equal(match?.blockedReason, reason);
    const { rows } = await db.query(`SELECT 1 FROM receipt WHERE service_request_id = $1`, [id]);
    assert.equal(rows.length, 0);
  }
});

test('a provider whom the consent leaves out is blocked, the others are pushed, and a later permission lets it through', async () => {
  const [refused, permitted] = [newGuid(), newGuid()];
  const { id, patientGuid } = await bench.request([refused, permitted], 'none');
  await bench.put({ resourceType: 'Organization', id: permitted, name: 'Permitted' });
  const consent = (decision: string, provision: object[]) => ({
    resourceType: 'Consent',
    id: '01900000-0000-7000-8000-0000000000c0',
    status: 'active',
    subject: { reference: `Patient/${patientGuid}` },
    decision,
    ...(provision.length === 0 ? {} : { provision }),
  });
  await bench.put(consent('permit', [{ actor: [{ reference: { reference: `Organization/${refused}` } }] }]));
  const answer = await push(id);
  assert.equal(answer.status, 202);
  assert.equal(answer.body.pushed.length, 1);
  assert.deepEqual(
    answer.body.blocked.map(({ reason }: { reason: string }) => reason),
    ['consent_denied'],
  );
  await bench.put(consent('permit', []));
  const later = await push(id);
  assert.equal(later.status, 202);
  assert.equal(later.body.pushed.length, 1);
  assert.equal(later.body.already.length, 1);
  assert.ok(
    (await bench.matches(id)).every(({ status, blockedReason }) => status === 'pushed' && blockedReason === undefined),
  );
});

test('denying a region denies its clinics', async () => {
  const [clinic, region] = [newGuid(), newGuid()];
  await bench.put({ resourceType: 'Organization', id: region, name: 'Region' });
  await bench.put({
    resourceType: 'Organization',
    id: clinic,
    name: 'Clinic',
    partOf: { reference: `Organization/${region}` },
  });
  const { id, patientGuid } = await bench.request([clinic], 'none');
  await bench.put({
    resourceType: 'Consent',
    id: newGuid(),
    status: 'active',
    subject: { reference: `Patient/${patientGuid}` },
    decision: 'permit',
    provision: [{ actor: [{ reference: { reference: `Organization/${region}` } }] }],
  });
  assert.equal((await push(id)).status, 403);
});

test('an exception for an organisation refuses a provider that might be part of it, until it is on record', async () => {
  const [clinic, region] = [newGuid(), newGuid()];
  const { id, patientGuid } = await bench.request([clinic], 'none');
  const actor = [{ reference: { reference: `Organization/${region}` } }];
  const subject = { reference: `Patient/${patientGuid}` };
  const consent = { resourceType: 'Consent', id: newGuid(), status: 'active', subject, decision: 'permit' };
  await bench.put({ ...consent, provision: [{ actor }] });
  const unknown = await push(id);
  assert.equal(unknown.status, 403);
  assert.match(JSON.stringify(unknown.body), /consent_cannot_be_evaluated/);
  await bench.put({ resourceType: 'Organization', id: clinic, name: 'Clinic' });
  assert.equal((await push(id)).status, 202);
});

test('push-one pushes one match; another is untouched, a pushed one 409, an unknown one 404', async () => {
  const { id } = await bench.request([newGuid(), newGuid()]);
  const [first, second] = await bench.matches(id);
  const url = `/api/v1/ServiceRequest/${id}/push/${first?.matchGuid}`;
  const answer = await call('planner', 'POST', url, {});
  assert.equal(answer.status, 202);
  assert.deepEqual(
    answer.body.pushed.map((item: { match_guid: string }) => item.match_guid),
    [first?.matchGuid],
  );
  assert.equal((await bench.matches(id)).find(({ matchGuid }) => matchGuid === second?.matchGuid)?.status, 'pending');
  const again = await call('planner', 'POST', url, {});
  assert.equal(again.status, 409);
  assert.match(again.body.issue[0].details.text, /pushed/);
  assert.equal((await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push/${newGuid()}`, {})).status, 404);
});

test('no push while on hold, as a draft, or of what belongs to another organisation', async () => {
  const { id } = await bench.request([newGuid()]);
  for (const status of ['draft', 'on-hold', 'revoked', 'completed']) {
    await db.query('UPDATE service_request SET status = $2 WHERE id = $1', [id, status]);
    const answer = await push(id);
    assert.equal(answer.status, 409, status);
    assert.ok(answer.body.issue[0].details.text.includes(status));
  }
  await db.query(`UPDATE service_request SET status = 'active' WHERE id = $1`, [id]);
  const elsewhere = { ...bench.callers['planner']!, organisationGuids: [newGuid()] };
  bench.callers['stranger'] = elsewhere;
  assert.equal((await call('stranger', 'POST', `/api/v1/ServiceRequest/${id}/push`)).status, 404);
  assert.equal((await call('patient', 'POST', `/api/v1/ServiceRequest/${id}/push`)).status, 403);
  assert.equal((await call(undefined, 'POST', `/api/v1/ServiceRequest/${id}/push`)).status, 401);
});

test('a deadline in the past and an unknown field are refused by name', async () => {
  const { id } = await bench.request([newGuid()]);
  const past = await push(id, { respond_by: new Date(clock.time - 1).toISOString() });
  assert.equal(past.status, 400);
  assert.match(past.body.issue[0].details.text, /respond_by/);
  const unknown = await push(id, { selektion: 'first', selection: 'some' });
  assert.equal(unknown.status, 400);
  assert.equal(unknown.body.issue.length, 2);
});

test('of twenty concurrent pushes one succeeds, with one receipt and one delivery for each match', async (t) => {
  const receiver = await startReceiver(t);
  const providers = [newGuid(), newGuid()];
  for (const provider of providers) {
    await call('admin', 'PUT', `/api/v1/providers/${provider}/endpoint`, { url: receiver.url });
  }
  const { id } = await bench.request(providers);
  const answers = await Promise.all(Array.from({ length: 20 }, () => push(id)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, ...Array.from({ length: 19 }, () => 409)]);
  const { rows } = await db.query(
    `SELECT (SELECT count(*) FROM receipt WHERE service_request_id = $1) AS receipts,
      (SELECT count(*) FROM delivery d JOIN receipt r USING (request_guid) WHERE r.service_request_id = $1) AS deliveries`,
    [id],
  );
  assert.deepEqual(rows, [{ receipts: 2, deliveries: 2 }]);
});

test('a bundle above the receivers’ size limit is not pushed', async () => {
  const { id, patientGuid } = await bench.request([newGuid()]);
  const name = [{ family: 'x'.repeat(1024 * 1024) }];
  const telecom = Array.from({ length: 10 }, () => ({ system: 'other', value: 'x'.repeat(1024 * 1024) }));
  await bench.put({ resourceType: 'Patient', id: patientGuid, name, telecom });
  const refused = await push(id);
  assert.deepEqual([refused.status, /may have/.test(JSON.stringify(refused.body))], [422, true]);
  assert.deepEqual(
    (await bench.matches(id)).map(({ status }) => status),
    ['pending'],
  );
});

test('a past or invalid deadline is reported together with all other errors', async () => {
  const { id } = await bench.request([newGuid()]);
  for (const respondBy of [new Date(clock.time - 1).toISOString(), '0001-01-01T00:00:00Z']) {
    const answer = await push(id, { respond_by: respondBy, selection: 'best', to: 'all' });
    assert.equal(answer.status, 400);
    const reported = JSON.stringify(answer.body);
    for (const field of ["'respond_by'", "'selection'", "'to'"]) assert.ok(reported.includes(field), reported);
  }
});

test('a patient is sent without contained resources and other parties', () => {
  const local = { reference: '#clinic' };
  const patient = {
    resourceType: 'Patient',
    id: 'p1',
    contained: [{ resourceType: 'Organization', id: 'clinic', name: 'The former clinic' }],
    identifier: [
      { system: 'urn:oid:1.2.752.129.2.1.3.1', value: '191212121212', assigner: local },
      { value: '7', assigner: { display: 'The other clinic' } },
      { assigner: local },
    ],
    name: [
      {
        family: 'Berg',
        given: ['Åsa', 'Eva'],
        _given: [{ extension: [{ url: 'https://example.org/from', valueReference: local }] }, { id: 'second' }],
        extension: [
          { url: 'https://example.org/given-by', valueReference: local },
          { url: 'https://example.org/sounds', valueString: '#clinic' },
        ],
      },
    ],
    managingOrganization: local,
  };
  const serviceRequest = {
    resourceType: 'ServiceRequest',
    id: 's1',
    status: 'active',
    intent: 'order',
    subject: { reference: 'Patient/p1' },
  };
  const parts = { bundleGuid: newGuid(), baseUrl: 'https://dispatch.example.org/api/v1', at: clock.time };
  const bundle = buildPushBundle({ ...parts, serviceRequest, patient, organisationGuid: ORGANISATION, forms: [] });
  const sent = JSON.parse(JSON.stringify(bundle));
  assert.deepEqual(
    validateResource(sent).filter(({ severity }) => severity !== 'warning'),
    [],
  );
  assert.deepEqual(sent.entry[1].resource, {
    resourceType: 'Patient',
    id: 'p1',
    identifier: [{ system: 'urn:oid:1.2.752.129.2.1.3.1', value: '191212121212' }, { value: '7' }],
    name: [
      {
        family: 'Berg',
        given: ['Åsa', 'Eva'],
        _given: [null, { id: 'second' }],
        extension: [{ url: 'https://example.org/sounds', valueString: '#clinic' }],
      },
    ],
    managingOrganization: { reference: `Organization/${ORGANISATION}` },
  });
});
