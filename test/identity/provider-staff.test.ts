// Who is a provider's staff at the engine follows identity (decision L7). It is gained by an administrator's change. It
// is lost with the phase, the organisation, the provider's link or the account as soon as the engine has read the feed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startEngineWithIdentity } from '../support/engine/engine-with-identity.ts';
import { makeOrganisation, makeProfessional } from '../support/identity/identity-people.ts';

const { identity, engine, follow } = await startEngineWithIdentity({ after });
const { app } = identity;
const admin = await identity.asAdmin();
const provider = (await engine.call('admin', 'POST', '/providers', { name: 'Hemvården', region: 'Skåne' })).body
  .provider_guid;

const send = (method: 'PUT' | 'DELETE' | 'PATCH' | 'POST', url: string, payload?: object) =>
  app.inject({ method, url: `/api/admin/${url}`, headers: admin, ...(payload === undefined ? {} : { payload }) });
const setProvider = (organisation: string) =>
  send('PUT', `organisations/${organisation}/provider`, { provider_guid: provider });

async function inboxOf({ headers }: { headers: { authorization: string } }): Promise<number> {
  await follow();
  return (await engine.call(headers.authorization.slice(7), 'GET', '/provider-tasks/my')).status;
}

test('a nurse of the organisation in the phase execution has the inbox from the change on, a planner there has not', async () => {
  const nurse = await makeProfessional(identity, ['execution']);
  assert.equal(await inboxOf(nurse), 403);
  assert.equal((await setProvider(nurse.organisationGuid)).statusCode, 200);
  assert.equal(await inboxOf(nurse), 200);
  const planner = await makeProfessional(identity, ['planning']);
  await setProvider(planner.organisationGuid);
  assert.equal(await inboxOf(planner), 403);
});

for (const [what, lose] of [
  ['the phase', ({ userGuid }) => send('PATCH', `users/${userGuid}`, { phases: ['planning'] })],
  [
    'the organisation',
    async ({ userGuid }) =>
      send('PATCH', `users/${userGuid}`, { organisation_guids: [await makeOrganisation(identity)] }),
  ],
  ['the link to the provider', ({ organisationGuid }) => send('DELETE', `organisations/${organisationGuid}/provider`)],
] as const satisfies readonly (readonly [string, (nurse: Awaited<ReturnType<typeof makeProfessional>>) => unknown])[]) {
  test(`who loses ${what} has the inbox no longer`, async () => {
    const nurse = await makeProfessional(identity, ['execution']);
    await setProvider(nurse.organisationGuid);
    assert.equal(await inboxOf(nurse), 200);
    await lose(nurse);
    assert.equal(await inboxOf(nurse), 403);
  });
}

test('a blocked nurse is refused', async () => {
  const nurse = await makeProfessional(identity, ['execution']);
  await setProvider(nurse.organisationGuid);
  assert.equal(await inboxOf(nurse), 200);
  await send('POST', `users/${nurse.userGuid}/block`);
  assert.equal(await inboxOf(nurse), 401);
});
