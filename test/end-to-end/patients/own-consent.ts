// The patient decides about their own data (decision L3): permits one provider for a time, and seals all. The denial
// is above what staff recorded, stops a delivery that waits, and its end gives way again.
import assert from 'node:assert/strict';
import { call } from '../call.ts';
import type { Story } from '../context.ts';
import { dayIn, withPatient } from '../people.ts';
import { makeRequest, push, pushTo } from '../request.ts';
import { untilDelivery } from '../requesters/delivery.ts';

/** Of the patient of the workflow, whose record staff made before. */
export function patientSealsAll(story: Story): Promise<void> {
  return story.walk('P7', () => sealsAll(story));
}

export async function othersDecide(story: Story): Promise<void> {
  const [without, sealing] = [await withPatient(story, 'Disa', 'none'), await withPatient(story, 'Ebba')];
  await Promise.all([
    story.walk('P6', () => permitsOneProvider(without)),
    story.walk('P7', () => stopsWhatWaits(sealing)),
  ]);
}

async function permitsOneProvider(story: Story): Promise<void> {
  const { addresses, accounts, library } = story;
  const { id, matches } = await makeRequest(story);
  await push(addresses, accounts, id, 403);
  const json = { decision: 'permit', organisation_guid: library.outside, starts_on: dayIn(-1), ends_on: dayIn(30) };
  const own = `${addresses.dispatch}/own-consents`;
  const { body: permission } = await call(own, { token: accounts.patient, json, expect: 201 });
  const { pushed, blocked } = await push(addresses, accounts, id, 202);
  assert.deepEqual(
    [pushed, blocked].map((list) => list.map((each: Record<string, string>) => each['match_guid'])),
    [[matches.get(library.outside)], [matches.get(library.hosted)]],
    'to the provider that the patient permits, and to no other',
  );
  const end = `${own}/${permission.consent_guid}/end`;
  await call(end, { method: 'POST', token: accounts.planner, expect: 403 });
  assert.equal((await call(end, { method: 'POST', token: accounts.patient })).body.status, 'ended');
  await push(addresses, accounts, (await makeRequest(story)).id, 403);
  assert.equal((await call(own, { token: accounts.patient })).body.total, 1);
}

async function sealsAll(story: Story): Promise<void> {
  const { addresses, accounts } = story;
  const { dispatch } = addresses;
  const { patient, planner } = accounts;
  const request = await makeRequest(story);
  const preview = await call(`${dispatch}/own-consents/preview`, { token: patient, json: { decision: 'deny' } });
  const seen = preview.body.affected.filter(
    (each: { service_request_id: string }) => each.service_request_id === request.id,
  );
  assert.equal(seen.length, 2, 'both providers would not be sent anything');
  const denial = (await call(`${dispatch}/own-consents`, { token: patient, json: { decision: 'deny' }, expect: 201 }))
    .body;
  const refused = await push(addresses, accounts, request.id, 403);
  assert.match(JSON.stringify(refused), /consent_denied/);
  const shown = await call(`${dispatch}/Consent/${denial.consent_guid}`, { token: planner });
  assert.deepEqual(shown.body.meta.tag[0].code, 'patient-decided');
  const changed = {
    method: 'PUT',
    token: planner,
    json: { ...shown.body, meta: undefined, status: 'inactive' },
  } as const;
  const stays = { ...changed, json: { ...changed.json, subject: { reference: `Patient/${accounts.patientGuid}` } } };
  await call(`${dispatch}/Consent/${denial.consent_guid}`, { ...stays, expect: 403 });
  await call(`${dispatch}/own-consents/${denial.consent_guid}/end`, { method: 'POST', token: patient });
  const sent = addresses.receiver.ledger.filter(({ body }) => body.includes(request.id));
  assert.deepEqual(sent, [], 'nothing was sent meanwhile');
  await call(`${dispatch}/ServiceRequest/${request.id}/revoke`, { method: 'POST', token: planner });
}

/** The provider's system is away when the request is sent; the patient seals all before the next attempt. */
async function stopsWhatWaits(story: Story): Promise<void> {
  const { addresses, accounts, library, refused } = story;
  const request = await makeRequest(story);
  const { id } = request;
  refused.add(id);
  const delivery = { id, requestGuid: await pushTo(library.outside, story, request) };
  await untilDelivery(story, delivery, 'retrying');
  await call(`${addresses.dispatch}/own-consents`, {
    token: accounts.patient,
    json: { decision: 'deny' },
    expect: 201,
  });
  refused.delete(id);
  assert.equal((await untilDelivery(story, delivery, 'cancelled')).last_error, 'consent_denied');
  const attempts = addresses.receiver.ledger.filter(({ body }) => body.includes(id));
  assert.equal(attempts.length, 1, 'the attempt before the denial, and none after it');
}
