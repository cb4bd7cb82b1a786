// A patient's own Consents by FHIR (decision L3, docs/adr/0073): what the server sets, and what neither side may do to
// the other's.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PatientLinkPage } from '#clients/identity-client.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { makeActive } from '../testing/samples.ts';
import { makeSite, ORGANISATION } from '../testing/site.ts';

const SIRI = '01900000-0000-7000-8000-00000000a5a1';
const MAX = '01900000-0000-7000-8000-00000000a5a2';
/** Identity: what it answers next, and what was reported to it. */
const identity = { isDown: false, pages: [] as PatientLinkPage[], reported: [] as string[] };
const requireUp = () => {
  if (identity.isDown) throw new ServiceError('upstream_unavailable', 'Identity cannot be reached');
};

const site = await makeSite(
  { after },
  {
    siri: makePrincipal(['patient'], { patientGuid: SIRI, linkedRecords: { engine: [], dispatch: ['p1'] } }),
    max: makePrincipal(['patient'], { id: MAX, patientGuid: MAX }),
    key: makePrincipal(['api_key'], { kind: 'api_key', scopes: ['system/*.cruds'], organisationGuids: [ORGANISATION] }),
  },
  {
    readPatientLinks: async (sequence) => {
      requireUp();
      return identity.pages.shift() ?? { patients: [], sequence, hasMore: false };
    },
    reportPatients: async (reports) => {
      requireUp();
      identity.reported.push(...reports.map(({ id }) => id));
    },
  },
);
const { call, database } = site;
identity.pages.push({ patients: [{ patientGuid: SIRI, records: ['p1'] }], sequence: 7, hasMore: false });
site.world.contracts = [{ contract_guid: 'contract-1', provider_guid: 'provider-1', provider_name: 'Hemvården' }];
const request = await makeActive(site);
await call('POST', `ServiceRequest/${request}/match`);

type Json = Record<string, unknown>;
const consent = (more: object = {}): Json => ({ resourceType: 'Consent', status: 'active', decision: 'deny', ...more });

async function give(as: string, body: object): Promise<Json> {
  const answer = await call('POST', 'Consent', { as, body });
  assert.equal(answer.status, 201, answer.text);
  return (await call('GET', `Consent/${String(answer.headers['location']).split('/').at(-3)}`, { as })).body;
}

test('the server sets subject, grantor, day and tag; the decision belongs to the organisation that has the record', async () => {
  const claimed = {
    grantor: [{ reference: 'Organization/o1' }],
    date: '1999-01-01',
    subject: { reference: 'Patient/p1' },
  };
  const own = await give('siri', consent(claimed));
  assert.deepEqual(
    [own['subject'], own['grantor'], own['date']],
    [{ reference: `Patient/${SIRI}` }, [{ reference: `Patient/${SIRI}` }], '2026-03-01'],
  );
  const { tag } = own['meta'] as { tag: object[] };
  assert.deepEqual(tag, [{ system: 'https://kedja.dev/codes/tag', code: 'patient-decided' }]);
  const path = `Consent/${own['id']}`;
  assert.equal((await call('GET', path, { as: 'anna' })).status, 200, 'those who have the record see it');
  assert.equal((await call('GET', path, { as: 'bo' })).status, 404);
  assert.equal((await call('GET', path, { as: 'max' })).status, 404);
  const found = await call('GET', 'Consent?status=active', { as: 'siri' });
  assert.equal(found.body['total'], 1);
  assert.equal((await call('PUT', path, { as: 'siri', body: { ...own, status: 'inactive' } })).status, 200);
});

test('a denial of one’s own stops the push; staff, administrators and keys neither change nor end it', async () => {
  const { id } = await give('siri', consent());
  const permission = consent({ decision: 'permit', subject: { reference: 'Patient/p1' } });
  assert.equal((await call('POST', 'Consent', { body: permission })).status, 201);
  const push = () => call('POST', `ServiceRequest/${request}/push`);
  const refused = await push();
  assert.equal(refused.status, 403, refused.text);
  assert.match(refused.text, /consent_denied/);
  const { body } = await call('GET', `Consent/${id}`);
  const { meta: _, ...rest } = body;
  const untagged = { ...rest, subject: { reference: 'Patient/p1' } };
  for (const as of ['anna', 'admin', 'key']) {
    const ended = await call('PUT', `Consent/${id}`, { as, body: { ...untagged, status: 'inactive' } });
    assert.deepEqual([ended.status, /nobody but the patient/.test(ended.text)], [403, true], `${as}: ${ended.text}`);
    const claimed = await call('POST', 'Consent', { as, body: { ...permission, meta: body['meta'] } });
    assert.equal(claimed.status, 422, `${as}: ${claimed.text}`);
  }
  assert.equal((await call('PUT', `Consent/${id}`, { as: 'bo', body: untagged })).status, 422);
  assert.equal((await call('GET', `Consent/${id}`)).body['status'], 'active');
  const ended = await call('PUT', `Consent/${id}`, { as: 'siri', body: { ...body, status: 'inactive' } });
  assert.equal(ended.status, 200, ended.text);
  assert.equal((await push()).status, 202);
});

test('the patient does not change what staff recorded, and decides about nobody else', async () => {
  const recorded = await call('POST', 'Consent', { body: consent({ subject: { reference: 'Patient/p1' } }) });
  const { id } = recorded.body;
  assert.equal((await call('GET', `Consent/${id}`, { as: 'siri' })).status, 200);
  const changed = await call('PUT', `Consent/${id}`, { as: 'siri', body: { ...recorded.body, status: 'inactive' } });
  assert.equal(changed.status, 403, changed.text);
  assert.match(changed.text, /denial of your own/);
  assert.equal(
    (await call('PUT', `Consent/${id}`, { as: 'max', body: { ...recorded.body, subject: undefined } })).status,
    404,
  );
  for (const subject of [{ reference: 'Patient/p1' }, { reference: `Patient/${SIRI}` }, { display: 'Siri' }, 'Siri']) {
    const refused = await call('POST', 'Consent', { as: 'max', body: consent({ subject }) });
    assert.equal(refused.status, 422, JSON.stringify(subject));
  }
  const long = consent({ extension: [{ url: 'https://x.example', valueString: 'x'.repeat(70_000) }] });
  assert.equal((await call('POST', 'Consent', { as: 'siri', body: long })).status, 422);
  for (const decision of ['maybe', undefined]) {
    const refused = await call('POST', 'Consent', { as: 'siri', body: consent({ decision }) });
    assert.equal(refused.status, 422, refused.text);
  }
  assert.equal((await call('POST', 'Patient', { as: 'siri', body: { resourceType: 'Patient' } })).status, 403);
  assert.equal(
    (await call('PUT', `Consent/${newGuid()}`, { as: 'max', body: consent() })).status,
    400,
    'the id is missing',
  );
});

test('a patient who is on record nowhere decides in advance, and chooses no id', async () => {
  const taken = newGuid();
  assert.equal((await call('PUT', `Consent/${taken}`, { as: 'max', body: consent({ id: taken }) })).status, 404);
  const own = await give('max', consent());
  const id = String(own['id']);
  assert.equal((await call('GET', `Consent/${id}`)).status, 404, 'no organisation has this patient');
  const listed = await call('GET', 'own-consents', { as: 'max' });
  const [shown] = listed.body['data'] as Json[];
  assert.deepEqual([shown?.['consent_guid'], shown?.['decision'], shown?.['is_simple']], [id, 'deny', true]);
  const narrowed = consent({ id, provision: [{ purpose: [{ code: 'HRESCH' }] }] });
  assert.equal((await call('PUT', `Consent/${id}`, { as: 'max', body: narrowed })).status, 200);
  const after = (await call('GET', 'own-consents', { as: 'max' })).body['data'] as Json[];
  assert.equal(after[0]?.['is_simple'], false);
});

test('a Patient that identity does not know yet is reported before its data goes; without identity nothing goes', async () => {
  const second = await makeActive(site);
  await call('POST', `ServiceRequest/${second}/match`);
  await call('PUT', 'Patient/p1', {
    body: { resourceType: 'Patient', id: 'p1', name: [{ family: 'Ek' }, { family: 'Al' }] },
  });
  identity.isDown = true;
  const refused = await call('POST', `ServiceRequest/${second}/push`);
  assert.equal(refused.status, 503, refused.text);
  const own = await call('POST', 'own-consents', { as: 'max', body: { decision: 'deny' } });
  assert.equal(own.status, 201, 'a decision is stored also while identity is away');
  identity.isDown = false;
  identity.reported.length = 0;
  // Meanwhile p1 turned out to be another person, who has denied.
  identity.pages.push({
    patients: [
      { patientGuid: MAX, records: ['p1'] },
      { patientGuid: SIRI, records: [] },
    ],
    sequence: 9,
    hasMore: false,
  });
  const denied = await call('POST', `ServiceRequest/${second}/push`);
  assert.deepEqual([denied.status, /consent_denied/.test(denied.text)], [403, true], denied.text);
  assert.deepEqual(identity.reported, ['p1']);
  const { rows } = await database.query<{ sequence: number }>('SELECT sequence FROM person_record_position');
  assert.equal(rows[0]?.sequence, 9);
});
