// API keys with `u` or `d` and without `r` (SMART App Launch 2.0, "Scopes for requesting FHIR Resources"). They may
// change or delete, and read nothing.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makePrincipal } from '#test/support/http-app.ts';
import { carePlanOf } from './testing/samples.ts';
import { makeSite } from './testing/site.ts';

const key = (...scopes: string[]) => makePrincipal(['api_key'], { kind: 'api_key', scopes });
const { call } = await makeSite(
  { after },
  {
    wide: key('system/*.cruds'),
    updater: key('system/*.u'),
    deleter: key('system/Patient.d'),
    maker: key('system/Consent.c'),
    blind: key('system/CarePlan.r'),
  },
);

async function make(by: 'wide' | 'anna' = 'wide') {
  const made = await call('POST', 'Patient', {
    as: by,
    body: { resourceType: 'Patient', name: [{ family: 'Secret' }] },
  });
  assert.equal(made.status, 201, made.text);
  return { path: `Patient/${made.body['id']}`, body: made.body };
}

test('a key with only u changes records of keys, and sees only what it sent', async () => {
  const { path, body } = await make();
  const changed = await call('PUT', path, { as: 'updater', body: { ...body, gender: 'other' } });
  assert.deepEqual([changed.status, changed.headers['etag']], [200, 'W/"2"'], changed.text);
  for (const url of [path, `${path}/_history`, `${path}/_history/1`, 'Patient?name=secret'])
    assert.equal((await call('GET', url, { as: 'updater' })).status, 403, url);
  assert.equal((await call('DELETE', path, { as: 'updater' })).status, 403);
  assert.equal((await call('GET', path, { as: 'wide' })).body['gender'], 'other');
});

test('a key with only d deletes its own records, not those of others', async () => {
  const [own, theirs] = [await make(), await make('anna')];
  assert.equal((await call('DELETE', own.path, { as: 'deleter' })).status, 204);
  assert.equal((await call('GET', own.path, { as: 'wide' })).status, 410);
  assert.equal((await call('DELETE', theirs.path, { as: 'deleter' })).status, 204);
  assert.equal((await call('PUT', theirs.path, { as: 'updater', body: theirs.body })).status, 404);
  assert.equal((await call('DELETE', own.path, { as: 'blind' })).status, 403);
  assert.equal((await call('GET', theirs.path)).headers['etag'], 'W/"1"');
});

test('consents and plans need their own scopes, and patients of the key’s organisation', async () => {
  const [own, theirs] = [await make(), await make('anna')];
  const consentOf = ({ path }: { path: string }) => ({
    resourceType: 'Consent',
    status: 'active',
    decision: 'deny',
    subject: { reference: path },
  });
  const made = await call('POST', 'Consent', { as: 'maker', body: consentOf(own) });
  assert.equal(made.status, 201, made.text);
  assert.equal((await call('POST', 'Consent', { as: 'maker', body: consentOf(theirs) })).status, 422);
  const inactive = { ...made.body, status: 'inactive' };
  assert.equal((await call('PUT', `Consent/${made.body['id']}`, { as: 'maker', body: inactive })).status, 403);
  assert.equal((await call('PUT', `Consent/${made.body['id']}`, { as: 'updater', body: inactive })).status, 200);
  const plan = await call('POST', 'CarePlan', {
    as: 'wide',
    body: { ...carePlanOf(String(own.body['id'])), instantiatesCanonical: undefined },
  });
  assert.equal(plan.status, 201, plan.text);
  const renamed = { ...plan.body, title: 'Renamed' };
  const changed = await call('PUT', `CarePlan/${plan.body['id']}`, { as: 'updater', body: renamed });
  assert.equal(changed.status, 200, changed.text);
});
