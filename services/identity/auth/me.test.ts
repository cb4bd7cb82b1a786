// GET /api/auth/me over a connection: from a caller's second request on it is answered before routing, and nobody
// notices.
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { asService, startIdentity } from '#test/support/identity/identity.ts';
import { makeProfessional, nextEmail } from '#test/support/identity/identity-people.ts';

const identity = await startIdentity({ after });
const { app } = identity;
let routed = 0;
const { routing } = app;
app.routing = (request, response) => {
  routed += 1;
  routing(request, response);
};
await app.listen({ host: '127.0.0.1', port: 0 });
const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

const me = (headers: Record<string, string>, query = '') => fetch(`${origin}/api/auth/me${query}`, { headers });
const meAtService = (headers: Record<string, string>) => me(headers, '/service');

/** Whether the route had part in it. */
async function isRouted(ask: () => Promise<Response>): Promise<boolean> {
  const before = routed;
  assert.equal((await ask()).status, 200);
  return routed > before;
}

/** Without what differs between any two responses. */
async function shown(response: Response): Promise<object> {
  const { date, 'x-request-id': id, ...headers } = Object.fromEntries(response.headers);
  assert.ok(date !== undefined && id !== undefined);
  return { status: response.status, headers, body: await response.text() };
}

async function emailIn(response: Response): Promise<unknown> {
  const body: unknown = await response.json();
  return Object(body).email;
}

async function makeCaller() {
  const { userGuid, headers } = await makeProfessional(identity);
  return { userGuid, headers: { authorization: String(headers.authorization) } };
}

test('the routed response and those sent before routing are the same', async () => {
  const { headers, userGuid } = await makeCaller();
  const address = 'zoë.łukasz.中@example.org';
  await identity.database.query('UPDATE app_user SET email = $2 WHERE user_guid = $1', [userGuid, address]);
  const first = await shown(await me(headers));
  const before = routed;
  const [second, third] = [await me(headers), await me(headers)];
  assert.equal(routed, before);
  assert.notEqual(second.headers.get('x-request-id'), third.headers.get('x-request-id'));
  assert.deepEqual(await shown(second), first);
  assert.equal(await emailIn(third), address);
});

test('what asks for more than the plain response goes to the route', async () => {
  const { headers } = await makeCaller();
  await me(headers);
  assert.equal(await isRouted(() => me(headers)), false);
  assert.equal(await isRouted(() => me({ ...headers, accept: 'application/json' })), false);
  for (const more of [{ accept: 'text/html' }, { cookie: 'a=b' }, { origin: 'https://example.org' }] as const) {
    assert.equal(await isRouted(() => me({ ...headers, ...more })), true, JSON.stringify(more));
  }
  assert.equal((await me(headers, '?x=1')).status, (await app.inject({ url: '/api/auth/me?x=1', headers })).statusCode);
});

test('nobody else gets it, nor its caller after the sign-out', async () => {
  const { headers } = await makeCaller();
  for (let count = 0; count < 2; count += 1) assert.equal((await me(headers)).status, 200);
  assert.equal((await me({ authorization: `${headers.authorization}x` })).status, 401);
  assert.equal((await me({})).status, 401);
  assert.equal((await fetch(`${origin}/api/auth/logout`, { method: 'POST', headers })).status, 200);
  assert.equal((await me(headers)).status, 401);
});

test('what an administrator changes counts at once, also a block', async () => {
  const { headers, userGuid } = await makeCaller();
  for (let count = 0; count < 2; count += 1) assert.equal((await me(headers)).status, 200);
  const admin = await identity.asAdmin();
  const change = async (payload: object) => {
    const answer = await app.inject({ method: 'PATCH', url: `/api/admin/users/${userGuid}`, headers: admin, payload });
    assert.equal(answer.statusCode, 200, answer.body);
  };
  const email = nextEmail();
  await change({ email });
  assert.equal(await emailIn(await me(headers)), email);
  await app.inject({ method: 'POST', url: `/api/admin/users/${userGuid}/block`, headers: admin, payload: {} });
  assert.equal((await me(headers)).status, 401);
});

test('a service gets the same without the route, unless its credentials or what it has read are others', async () => {
  const { headers, userGuid } = await makeCaller();
  const service = { ...headers, ...asService };
  const first = await shown(await meAtService(service));
  const before = routed;
  assert.deepEqual(await shown(await meAtService(service)), first);
  assert.deepEqual(await shown(await meAtService({ ...service, 'x-revocation-sequence': '0' })), first);
  assert.equal(routed, before);
  assert.equal(await isRouted(() => meAtService({ ...service, 'x-revocation-sequence': '999999' })), true);
  for (const [changed, status] of [
    [{ 'x-sso-client-secret': 'wrong' }, 403],
    [{ authorization: `${headers.authorization}x` }, 401],
  ] as const) {
    assert.equal((await meAtService({ ...service, ...changed })).status, status, JSON.stringify(changed));
  }
  assert.equal((await meAtService(headers)).status, 403, 'a token alone is not enough');
  assert.equal((await meAtService(asService)).status, 401, 'nor are credentials');
  assert.equal((await meAtService(service)).status, 200);
  const admin = await identity.asAdmin();
  await app.inject({ method: 'POST', url: `/api/admin/users/${userGuid}/block`, headers: admin, payload: {} });
  assert.equal((await meAtService(service)).status, 401);
});
