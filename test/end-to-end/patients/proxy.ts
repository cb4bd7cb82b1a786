// The patient names a proxy (decision L5). The proxy is another registered patient, who accepts and reads by the
// header, or reports for the patient. Either ends it, and so does a block of the proxy's account.
import assert from 'node:assert/strict';
import { call } from '../call.ts';
import type { Story } from '../context.ts';
import { dayIn, type RegisteredPatient, register, untilStatus } from '../people.ts';
import { answers, giveForm } from './own-reports.ts';

const PROXIES = '/api/patient/proxies';

export async function proxiesAct(story: Story): Promise<void> {
  const proxy = await register(story, 'Bertil');
  await story.walk('P9', () => patientNamesAndEnds(story, proxy));
  await story.walk('P10', () => proxyReportsAndEnds(story, proxy));
  await story.walk('B9', () => blockedProxyHasNothing(story, proxy));
}

/** Names the proxy, who accepts; returns the proxy's guid and what the proxy sends with a request. */
async function name({ addresses, accounts }: Story, proxy: RegisteredPatient, may: 'read' | 'act') {
  const { identity } = addresses;
  const json = { email: proxy.email, may, until: dayIn(30) };
  const invited = (await call(`${identity}${PROXIES}`, { token: accounts.patient, json, expect: 201 })).body;
  await call(`${identity}${PROXIES}/${invited.proxy_guid}/accept`, { method: 'POST', token: proxy.token });
  const me = (await call(`${identity}/api/auth/me`, { token: accounts.patient })).body;
  const asking = { token: proxy.token, headers: { 'kedja-patient': String(me.patient_guid) } };
  await untilBoth(200, { addresses, accounts }, asking);
  return { url: `${identity}${PROXIES}/${invited.proxy_guid}`, asking };
}

type Asking = Parameters<typeof untilStatus>[2];

async function untilBoth(
  status: number,
  { addresses, accounts }: Pick<Story, 'addresses' | 'accounts'>,
  asking: Asking,
) {
  await untilStatus(status, `${addresses.dispatch}/Patient/${accounts.patientGuid}`, asking);
  await untilStatus(status, `${addresses.engine}/Observation`, asking);
}

async function patientNamesAndEnds(story: Story, proxy: RegisteredPatient): Promise<void> {
  const { addresses, accounts } = story;
  const { url, asking } = await name(story, proxy, 'read');
  await call(`${addresses.dispatch}/Patient/${accounts.patientGuid}`, { token: proxy.token, expect: 404 });
  await call(`${addresses.dispatch}/own-consents`, { ...asking, json: { decision: 'deny' }, expect: 403 });
  await call(`${addresses.engine}/Observation`, { ...asking, json: observation(story), expect: 403 });
  const shown = (await call(`${addresses.identity}${PROXIES}`, { token: accounts.patient })).body;
  assert.ok(
    shown.given.some((each: Record<string, string>) => each['delegate_name'] === proxy.email),
    'shown on both sides',
  );
  const ended = await call(url, { method: 'DELETE', token: accounts.patient });
  assert.equal(ended.body.ended_by, 'patient');
  await untilBoth(403, story, asking);
}

async function proxyReportsAndEnds(story: Story, proxy: RegisteredPatient): Promise<void> {
  const { addresses, accounts } = story;
  const { url, asking } = await name(story, proxy, 'act');
  const made = (await call(`${addresses.engine}/Observation`, { ...asking, json: observation(story), expect: 201 }))
    .body;
  assert.match(JSON.stringify(made.subject), /Patient\//);
  assert.match(JSON.stringify(made.performer), /RelatedPerson/, 'recorded as by the proxy');
  await call(`${addresses.engine}/Observation/${made.id}`, { token: accounts.patient });
  const { guid } = await giveForm(story);
  const form = `${addresses.dispatch}/patient-forms/${guid}`;
  await call(form, asking);
  await call(`${form}/response`, { ...asking, json: answers('good'), expect: 201 });
  const own = (await call(form, { token: accounts.patient })).body;
  assert.equal(own.status, 'answered', 'the patient sees what the proxy answered');
  assert.match(JSON.stringify(own.answer.author), /RelatedPerson/);
  const ended = await call(url, { method: 'DELETE', token: proxy.token });
  assert.equal(ended.body.ended_by, 'delegate');
  await untilBoth(403, story, asking);
}

async function blockedProxyHasNothing(story: Story, proxy: RegisteredPatient): Promise<void> {
  const { addresses, accounts } = story;
  const { url, asking } = await name(story, proxy, 'read');
  const user = `${addresses.identity}/api/admin/users/${proxy.userGuid}`;
  await call(`${user}/block`, { method: 'POST', token: accounts.admin });
  await untilBoth(401, story, asking);
  const given = (await call(`${addresses.identity}${PROXIES}`, { token: accounts.patient })).body.given;
  assert.ok(given.length > 0, 'the patient still sees whom they named');
  await call(url, { method: 'DELETE', token: accounts.patient });
  await call(`${user}/unblock`, { method: 'POST', token: accounts.admin });
}

function observation({ library }: Story): object {
  return {
    resourceType: 'Observation',
    status: 'final',
    code: { coding: [library.concept] },
    effectiveDateTime: '2026-11-21T07:00:00+01:00',
    valueQuantity: { value: 77, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
  };
}
