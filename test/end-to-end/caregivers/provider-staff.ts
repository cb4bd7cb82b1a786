// A nurse with an account at the provider's organisation works in its inbox (decision L7). She accepts, reads the plan
// and reports under her own name, until she loses the phase.
import assert from 'node:assert/strict';
import { admitProfessional, makeOrganisation } from '../accounts.ts';
import { call } from '../call.ts';
import type { Scenario, Story } from '../context.ts';
import { untilStatus, userOf } from '../people.ts';
import { makeRequest, pushTo, requestWithStatus, taskOf } from '../request.ts';

export function staffDeliver(story: Story): Promise<void> {
  return story.walk('C1', () => nurseWorksInTheInbox(story));
}

async function nurseWorksInTheInbox(scenario: Story): Promise<void> {
  const { addresses, accounts, library } = scenario;
  const { engine, dispatch } = addresses;
  const nurse = await admitNurse(scenario);
  scenario.secrets.add(nurse);
  const request = await makeRequest(scenario);
  const guid = await pushTo(library.hosted, scenario, request);
  await taskOf(addresses, accounts, guid, 'received');
  const mine = (await call(`${engine}/provider-tasks/my?status=received`, { token: nurse })).body.data;
  const [task] = mine.filter((each: { request_guid: string }) => each.request_guid === guid);
  assert.equal(task.receipt_token, guid, 'staff get no receipt token');
  const at = `${engine}/provider-tasks/${task.receipt_token}`;
  await call(`${at}/accept`, { method: 'POST', expect: 404 });
  await call(`${at}/accept`, { method: 'POST', token: accounts.planner, expect: 404 });
  const accepted = await call(`${at}/accept`, { method: 'POST', token: nurse });
  assert.equal(accepted.body.accepted_by.name, 'Sara Ek');
  assert.match((await call(`${at}/careplan-details`, { token: nurse })).text, /Kroppsvikt/);
  await call(`${at}/report`, { token: nurse, json: { status: 'final', note: 'Klart' } });
  await requestWithStatus(addresses, accounts, request.id, 'completed');
  const { body } = await call(`${dispatch}/ServiceRequest/${request.id}/matches`, { token: accounts.planner });
  const done = body.data.find((each: { provider_guid: string }) => each.provider_guid === library.hosted);
  assert.deepEqual([done.accepted_by, done.reported_by], [{ name: 'Sara Ek' }, { name: 'Sara Ek' }]);
  const feed = await call(`${dispatch}/requests?limit=200`, { token: nurse });
  assert.ok(feed.body.requests.some((each: { request_guid: string }) => each.request_guid === guid));
  await call(`${dispatch}/requests?provider_guid=${library.outside}`, { token: nurse, expect: 403 });
  await loseThePhase(scenario, nurse);
}

/** A nurse of an organisation that the administrator makes the hosted provider's. */
async function admitNurse({ addresses, accounts, library }: Scenario): Promise<string> {
  const { identity, engine } = addresses;
  const organisation = await makeOrganisation(addresses, accounts.admin, 'Hemvården Nord');
  const nurse = await admitProfessional(addresses, accounts.admin, {
    email: 'sara.ek@example.org',
    name: ['Sara', 'Ek'],
    role: 'nurse',
    organisation,
    phases: ['execution'],
  });
  await call(`${engine}/provider-tasks/my`, { token: nurse, expect: 403 });
  const provider = `${identity}/api/admin/organisations/${organisation}/provider`;
  await call(provider, {
    method: 'PUT',
    token: accounts.planner,
    json: { provider_guid: library.hosted },
    expect: 403,
  });
  await call(provider, { method: 'PUT', token: accounts.admin, json: { provider_guid: library.hosted } });
  await untilStatus(200, `${engine}/provider-tasks/my`, { token: nurse });
  return nurse;
}

async function loseThePhase({ addresses, accounts }: Scenario, nurse: string): Promise<void> {
  const { identity, engine, dispatch } = addresses;
  const user = `${identity}/api/admin/users/${await userOf(addresses, nurse)}`;
  await call(user, { method: 'PATCH', token: accounts.admin, json: { phases: [] } });
  for (const url of [`${engine}/provider-tasks/my`, `${dispatch}/requests`])
    await untilStatus(403, url, { token: nurse });
}
