// Attacks on every address of dispatch, by callers of every kind. The newest ones are attacked by what only they could
// do wrong. These are a decision and a form that are another's, and a report of another provider.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { assertHarmless, hostileRequests, operationsOf } from '#test/support/hostile-requests.ts';

const contract = await startDispatchContract({ after });
const { app, ask } = contract;
const CALLERS = ['admin', 'patient', 'provider'];

test('hostile ids, bodies, types and parameters are refused at every address, and nothing more', async () => {
  const operations = operationsOf((await app.inject('/openapi.json')).json());
  assert.ok(operations.length > 80);
  for (const operation of operations) {
    if (operation.path.endsWith('/stream')) continue;
    for (const request of hostileRequests(operation)) {
      for (const who of [undefined, ...CALLERS]) {
        const headers = { ...request.headers, ...(who === undefined ? {} : { authorization: `Bearer ${who}` }) };
        assertHarmless(request, await app.inject({ ...request, headers }), who ?? 'nobody');
      }
    }
  }
});

test('a form, a script or a page of another kind sends no body that is read', async () => {
  const operations = operationsOf((await app.inject('/openapi.json')).json()).filter(({ takesBody }) => takesBody);
  for (const { method, path } of operations) {
    if (path.endsWith('/_search')) continue;
    const url = path.replaceAll(/\{\w+\}/g, newGuid());
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-type': type, authorization: 'Bearer admin' };
      const { statusCode, payload } = await app.inject({ method, url, headers, payload: '{"decision":"permit"}' });
      assert.ok([403, 404, 415].includes(statusCode), `${method} ${path} as ${type}: ${statusCode} ${payload}`);
    }
  }
});

test('another’s own consent looks like one that is not there, and nobody else ends it', async () => {
  const given = await ask('POST /own-consents', { as: 'patient', body: { decision: 'deny' } });
  assert.equal(given.status, 201, given.text);
  const guid = String(given.body['consent_guid']);
  const texts = new Set<string>();
  for (const id of [guid, newGuid(), guid.replace(/.$/, (last) => (last === '0' ? '1' : '0')), 'consent-1']) {
    for (const as of ['otherPatient']) {
      const ended = await ask(`POST /own-consents/${id}/end`, { as });
      texts.add(JSON.stringify([ended.status, ended.body['error'], ended.text.replaceAll(id, '')]));
      const preview = await ask('POST /own-consents/preview', { as, body: { ends: id } });
      assert.equal(preview.status, 404, preview.text);
    }
  }
  assert.equal(texts.size, 1, [...texts].join('\n'));
  for (const as of ['anna', 'admin', 'fullKey', 'actingProxy', 'readingProxy', 'staff', 'provider'])
    assert.equal((await ask(`POST /own-consents/${guid}/end`, { as })).status, 403, as);
  assert.equal((await ask(`POST /own-consents/${guid}/end`, { as: 'patient' })).status, 200);
});

test('a report with results is for the provider of the request alone, also with another’s Bundle, guid or token', async () => {
  const mine = await contract.pushed();
  const observation = (patient: string, request: string) => ({
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'x' },
    valueString: 'y',
    subject: { reference: `Patient/${patient}` },
    basedOn: [{ reference: `ServiceRequest/${request}` }],
  });
  const report = (...entry: object[]) => ({
    status: 'in_progress',
    results: { resourceType: 'Bundle', type: 'collection', entry: entry.map((resource) => ({ resource })) },
  });
  const right = report(observation('p1', mine.id));
  for (const as of ['otherProvider', 'otherStaff'])
    assert.equal((await ask(`POST /requests/${mine.request}/status`, { as, body: right })).status, 404, as);
  for (const as of ['patient', 'actingProxy', 'anna', 'fullKey'])
    assert.equal((await ask(`POST /requests/${mine.request}/status`, { as, body: right })).status, 403, as);
  const other = await contract.pushed();
  const wrong = [
    report(observation('p2', mine.id)),
    report(observation('p1', other.id)),
    report({ ...observation('p1', mine.id), performer: [{ reference: 'Patient/p2' }] }),
    report({ resourceType: 'Patient', id: 'p1' }),
    report({ resourceType: 'Consent', status: 'active', decision: 'permit', subject: { reference: 'Patient/p1' } }),
  ];
  for (const body of wrong) {
    const refused = await ask(`POST /requests/${mine.request}/status`, { as: 'provider', body });
    assert.ok([400, 422].includes(refused.status), `${JSON.stringify(body)}: ${refused.status} ${refused.text}`);
  }
  for (const token of [
    mine.token.slice(0, -1),
    `${mine.token}A`,
    mine.token.toLowerCase(),
    `${mine.token}%00`,
    other.request,
  ])
    assert.equal(
      (await ask(`POST /ServiceRequest/receipt/${token}/status`, { as: 'patient', body: right })).status,
      404,
      token,
    );
  const matches = await ask(`GET /ServiceRequest/${mine.id}/matches`);
  assert.doesNotMatch(matches.text, /"progress":"in_progress"/, 'nothing of all that counted');
  const taken = await ask(`POST /ServiceRequest/receipt/${mine.token}/status`, { as: 'nobody', body: right });
  assert.ok([200, 409].includes(taken.status), taken.text);
});
