// Pairs of requests, beside those of services/engine/fhir/side-channels.test.ts (decisions G7, G12). They compare
// stored responses of others' Idempotency-Keys, arguments of terminology operations, what prevents a deletion, and what
// a reference is checked against. Callers who may not see a record get the response for one that does not exist.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { PATIENT as HIDDEN, startEngineOn, startTestEngine } from '#test/support/engine/engine.ts';
import { playDispatch } from '#test/support/engine/engine-dispatch.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { comparableResponse, type PairedRequest } from '#test/support/paired-responses.ts';

const ABSENT = '01900000-0000-7000-8000-0000000000f1';
const ORIGIN = '01900000-0000-7000-8000-0000000000d';
const keyOf = (...scopes: string[]) => principalOfKey({ keyGuid: `${ORIGIN}1`, scopes });
const callers = {
  other: makePrincipal(['patient'], { id: `${ORIGIN}2`, patientGuid: ABSENT }),
  stranger: makePrincipal(['professional', 'clinician'], {
    id: `${ORIGIN}3`,
    organisationGuids: [`${ORIGIN}4`],
    phases: new Set(['planning', 'analysis']),
  }),
  key: keyOf('system/*.cruds'),
  narrow: keyOf('system/Observation.cruds'),
  provider: principalOfKey({ keyGuid: `${ORIGIN}5`, scopes: [], providerGuid: ABSENT }),
};
const hooks = lastFirst({ after });
const site = await startTestEngine(hooks, { callers, dispatch: playDispatch().client });
/** The same records, with references checked (KEDJA_CHECK_REFERENCES). */
const strict = await startEngineOn(hooks, site.database, { callers, checksReferences: true });
const { call, app } = site;

const patient = (id: string) => ({ resourceType: 'Patient', id, identifier: [{ system: 'urn:words', value: id }] });
const observation = (of: string) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  subject: { reference: of },
});

before(async () => {
  assert.equal((await call('planner', 'PUT', `/Patient/${HIDDEN}`, patient(HIDDEN))).status, 201);
});

/** Both are asked, and answered alike. */
async function assertAlike(
  caller: string,
  ask: (name: string) => PairedRequest,
  { pair, of = app }: { readonly pair: readonly [there: string, absent: string]; readonly of?: typeof app },
): Promise<number> {
  const responseTo = (name: string) => comparableResponse(of, caller, ask(name), { NAME: name });
  const [there, absent] = await Promise.all([responseTo(pair[0]), responseTo(pair[1])]);
  const { method, path } = ask(pair[0]);
  assert.deepEqual(there, absent, `${caller} ${method} ${path}`);
  assert.ok(there.status < 500, there.body);
  return there.status;
}

test('an Idempotency-Key that somebody else has used is a new one', async () => {
  const [used, unused] = ['a-key-that-is-used', 'a-key-that-is-new!'];
  const send = (body: object) => (key: string) => ({
    method: 'POST',
    path: '/Observation',
    headers: { 'idempotency-key': key },
    body,
  });
  const first = await comparableResponse(app, 'planner', send(observation(`Patient/${HIDDEN}`))(used), {});
  assert.equal(first.status, 201, first.body);
  // With the same body, with another, with one that is refused, and as a caller who may not.
  for (const caller of ['stranger', 'key', 'other', 'provider'])
    for (const body of [observation(`Patient/${HIDDEN}`), observation('Patient/x'), { resourceType: 'Observation' }])
      await assertAlike(caller, send(body), { pair: [used, unused] });
  const { body } = await call('planner', 'GET', `/Observation?subject=Patient/${HIDDEN}`);
  assert.equal(body.total, 1);
  // Outside FHIR it is the same.
  const concept = (name: string) => (key: string) => ({
    method: 'POST',
    path: '/concept-types',
    headers: { 'idempotency-key': key },
    body: { name },
    bodyType: 'application/json',
  });
  assert.equal((await comparableResponse(app, 'planner', concept('Mine')(used), {})).status, 201);
  const again = await comparableResponse(app, 'stranger', concept('Theirs')(used), {});
  assert.equal(again.status, 201, again.body);
});

test('terminology answers of a definition that a caller has no right to as of none', async () => {
  const [stored, absent] = ['http://example.org/vs/stored', 'http://example.org/vs/absent'];
  const compose = { include: [{ system: 'urn:words', concept: [{ code: 'a' }] }] };
  const valueSet = { resourceType: 'ValueSet', id: 'stored', url: stored, status: 'active', compose };
  const made = await call('planner', 'PUT', '/ValueSet/stored', valueSet);
  assert.equal(made.status, 201, made.text);
  assert.match(
    (await call('planner', 'GET', `/ValueSet/$validate-code?url=${stored}&system=urn:words&code=a`)).text,
    /true/,
  );
  for (const caller of ['other', 'narrow', 'provider']) {
    for (const name of ['$validate-code', '$expand']) {
      const byUrl = (url: string) => ({ method: 'GET', path: `/ValueSet/${name}?url=${url}&system=urn:words&code=a` });
      assert.equal(await assertAlike(caller, byUrl, { pair: [stored, absent] }), 403);
      const byId = (id: string) => ({ method: 'GET', path: `/ValueSet/${id}/${name}?system=urn:words&code=a` });
      assert.equal(await assertAlike(caller, byId, { pair: ['stored', 'absent'] }), 403);
      const inBatch = (url: string) => ({
        method: 'POST',
        path: '/',
        body: {
          resourceType: 'Bundle',
          type: 'batch',
          entry: [{ request: { method: 'GET', url: `ValueSet/${name}?url=${url}&system=urn:words&code=a` } }],
        },
      });
      await assertAlike(caller, inBatch, { pair: [stored, absent] });
    }
  }
});

test('what prevents a deletion is named only to those who may delete', async () => {
  const make = async (path: string, body: object) => {
    const answer = await call('planner', 'POST', path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const library = async (name: string): Promise<string> =>
    (await make('/canonical-libs', { name, url: `http://example.org/${name}` })).canonical_lib_guid;
  const [used, unused] = [await library('used'), await library('unused')];
  const concept = async (name: string): Promise<string> =>
    (await make('/concepts', { canonical_lib: used, concept_name: name })).concept_guid;
  const [usedConcept, unusedConcept] = [await concept('used'), await concept('unused')];
  await make('/activities', { name: 'x', concept: usedConcept });
  assert.equal((await call('planner', 'DELETE', `/canonical-libs/${used}`)).status, 409);
  assert.equal((await call('planner', 'DELETE', `/concepts/${usedConcept}`)).status, 409);
  for (const caller of ['stranger', 'other', 'idle', 'provider'])
    for (const [path, pair] of [
      ['canonical-libs', [used, unused]],
      ['concepts', [usedConcept, unusedConcept]],
    ] as const) {
      const status = await assertAlike(caller, (guid) => ({ method: 'DELETE', path: `/${path}/${guid}` }), { pair });
      assert.equal(status, 403, caller);
    }
});

test('a reference to what is hidden is refused as one to what is not there, where references are checked', async () => {
  const pair = [HIDDEN, ABSENT] as const;
  for (const caller of ['stranger', 'key']) {
    for (const reference of [(id: string) => `Patient/${id}`, (id: string) => `Patient?identifier=urn:words|${id}`]) {
      const body = (id: string) => observation(reference(id));
      const create = (id: string) => ({ method: 'POST', path: '/Observation', body: body(id) });
      assert.ok((await assertAlike(caller, create, { pair, of: strict.app })) >= 400);
      const judge = (id: string) => ({ method: 'POST', path: '/$validate', body: body(id) });
      await assertAlike(caller, judge, { pair, of: strict.app });
      const transaction = (id: string) => ({
        method: 'POST',
        path: '/',
        body: {
          resourceType: 'Bundle',
          type: 'transaction',
          entry: [{ resource: body(id), request: { method: 'POST', url: 'Observation' } }],
        },
      });
      assert.ok((await assertAlike(caller, transaction, { pair, of: strict.app })) >= 400);
    }
  }
});
