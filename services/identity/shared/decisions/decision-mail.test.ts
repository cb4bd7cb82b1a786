// The mail about an approval has a link to where it is of use: a page of the console, or the tenant at whose address
// the request was made, where the user may use that.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { startIdentity } from '#test/support/identity/identity.ts';
import { accessRequestBody, makeProfessional } from '#test/support/identity/identity-people.ts';
import { atTenant, TENANTS } from '#test/support/identity/identity-tenants.ts';
import { startMailServer } from '#test/support/mail.ts';

const hooks = lastFirst({ after });
const mails = await startMailServer(hooks);
const identity = await startIdentity(hooks, { sendMail: mails.send, tenants: TENANTS });
const { app, database } = identity;
const admin = await identity.asAdmin();
const CONSOLE = 'https://kedja.example.org/auth/login';
const NORTH = 'https://north.example.org/engine/auth/login';

type Headers = Readonly<Record<string, string>>;

async function post(url: string, headers: Headers, payload: object) {
  const answer = await app.inject({ method: 'POST', url, headers, payload });
  assert.ok(answer.statusCode < 300, answer.body);
  return answer.json();
}

const admit = (userGuid: string, tenant: string) =>
  database.query('INSERT INTO tenant_member (user_guid, tenant, added_at) VALUES ($1, $2, now())', [userGuid, tenant]);

async function makeGroup(name: string): Promise<string> {
  const { proposal_guid } = await post('/api/groups/proposals', (await makeProfessional(identity)).headers, {
    name,
    group_type: 'team',
  });
  return (await post('/api/admin/group-proposals', admin, { proposal_guid, decision: 'approved' })).group_guid;
}

/** The links of the mail that says so, Swedish first. */
async function linksIn(email: string, text: RegExp): Promise<string[]> {
  const find = async () => mails.taken.find(({ to, body }) => to.includes(email) && text.test(body));
  const { body } = await eventually('the mail arrives', find, 60_000);
  return [...body.matchAll(/https:\S+/g)].map(([link]) => link);
}

const both = (href: string, query = '') => [`${href}?lang=sv${query}`, `${href}?lang=en${query}`];

async function askToLead(
  professional: { readonly headers: Headers },
  groupGuid: string,
  decision: string,
  meanwhile?: () => Promise<unknown>,
) {
  const { leader_request_guid } = await post('/api/groups/request-admin', professional.headers, {
    group_guid: groupGuid,
  });
  await meanwhile?.();
  // Whoever decides may do it at another address.
  await atTenant('west', () => post('/api/admin/leader-requests', admin, { leader_request_guid, decision }));
}

test('an approved access request leads to the sign-in where it was made, and opens it; a rejected one nowhere', async () => {
  const bodies = [await accessRequestBody(identity), await accessRequestBody(identity)] as const;
  for (const [index, decision] of (['approved', 'rejected'] as const).entries()) {
    const { access_request_guid } = await atTenant('north', () =>
      post('/api/public/access-request', {}, bodies[index] ?? {}),
    );
    await post('/api/admin/access-requests', admin, { access_request_guid, decision });
  }
  const { email, password } = bodies[0];
  assert.deepEqual(await linksIn(email, /request at .* is approved/), both(NORTH));
  const signIn = async () =>
    (await app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password } })).statusCode;
  assert.deepEqual([await atTenant('north', signIn), await signIn()], [200, 403]);
  assert.deepEqual(await linksIn(bodies[1].email, /request at .* is rejected/), []);
});

test('an approved member is led to the account, an approved leader to the groups', async () => {
  const group = await makeGroup('Wound care');
  const member = await makeProfessional(identity);
  const { membership_guid } = await post('/api/groups/request-membership', member.headers, { group_guid: group });
  await post('/api/groups/admin/decide', admin, { membership_guid, decision: 'approved' });
  assert.deepEqual(await linksIn(member.email, /now a member of/), both(CONSOLE, '&return_to=%2Faccount'));
  const leader = await makeProfessional(identity);
  await askToLead(leader, group, 'approved');
  assert.deepEqual(await linksIn(leader.email, /now a leader of/), both(CONSOLE, '&return_to=%2Fadmin%2Fgroups'));
  const proposer = await makeProfessional(identity);
  const body = { name: 'Night care', group_type: 'team' };
  const { proposal_guid } = await post('/api/groups/proposals', proposer.headers, body);
  await post('/api/admin/group-proposals', admin, { proposal_guid, decision: 'approved' });
  assert.deepEqual(await linksIn(proposer.email, /that you proposed/), both(CONSOLE, '&return_to=%2Fadmin%2Fgroups'));
});

test('what was asked for at a tenant’s address leads its member there, and who is no member elsewhere', async () => {
  const group = await makeGroup('Day care');
  const addresses = {
    north: NORTH,
    west: 'https://kedja.example.org/engine/t/west/auth/login',
  };
  for (const name of ['north', 'west'] as const) {
    const leader = await makeProfessional(identity);
    for (const tenant of ['default', name]) await admit(leader.userGuid, tenant);
    await atTenant(name, () => askToLead(leader, group, 'approved'));
    assert.deepEqual(await linksIn(leader.email, /now a leader of/), both(addresses[name]));
  }
  const elsewhere = await makeProfessional(identity);
  await askToLead(elsewhere, group, 'approved', () => admit(elsewhere.userGuid, 'north'));
  assert.deepEqual(await linksIn(elsewhere.email, /now a leader of/), both(addresses.north), 'not the default tenant');
});
