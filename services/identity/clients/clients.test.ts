// /api/admin/clients (docs/adr/0054) over HTTP: what is stored, what is shown once, what is refused, and when a change
// takes effect.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HOUR_MS } from '#lib/clock.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { asService, handClock, identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import { administer, credentialsOf, makeClient } from '#test/support/identity/identity-clients.ts';
import { auditedEvents } from '#test/support/identity/identity-people.ts';

const hooks = lastFirst({ after });
const clock = handClock();
const on = await identityDatabase(hooks);
const identity = await startIdentity(hooks, { on, clock });
const other = await startIdentity(hooks, { on, clock });
const { app, database } = identity;
const NEXT = 'https://journal.example.org/callback';

/** The response of `/me/service` to the credentials at a node. */
async function asked(headers: Record<string, string> | Readonly<Record<string, string>>, node = identity) {
  const bearer = await identity.asAdmin();
  const answer = await node.app.inject({ url: '/api/auth/me/service', headers: { ...bearer, ...headers } });
  return answer.statusCode;
}

const change = (id: string, body: object) => administer(identity, 'PUT', `/${id}`, body);
const SETTINGS = { name: 'Journal', audience: 'kedja', calls: ['user:read'], redirects: [NEXT] };

test('an application is put on record; its secret is shown once, and only its hash is kept', async () => {
  const body = { client_id: 'journal-2', name: ' The journal ', kind: 'application', redirects: [NEXT] };
  const made = await administer(identity, 'POST', '', body);
  assert.equal(made.statusCode, 201, made.body);
  assert.equal(made.headers['cache-control'], 'no-store');
  const { client_secret: secret, created_at, created_by, ...item } = made.json();
  assert.match(secret, /^kedja_client_[\w-]{43}$/);
  assert.match(created_at, /^20/);
  assert.match(created_by, /^[0-9a-f-]{36}$/);
  assert.deepEqual(item, {
    client_id: 'journal-2',
    name: 'The journal',
    kind: 'application',
    public: false,
    audience: 'kedja',
    calls: ['user:read'],
    redirects: [NEXT],
    reauthenticate: false,
    status: 'enabled',
    managed_by: 'record',
    last_rotated_at: null,
    previous_secret_valid_until: null,
    last_used_at: null,
  });
  const read = await administer(identity, 'GET', '/journal-2');
  assert.deepEqual(read.json(), { ...item, created_at, created_by });
  const kept = JSON.stringify((await database.query('SELECT * FROM client')).rows);
  assert.ok(!kept.includes(secret));
  assert.equal(await asked(credentialsOf('journal-2', secret)), 200);
});

test('the list holds the clients of the configuration first, which are changed there alone', async () => {
  const listed = (await administer(identity, 'GET')).json();
  const configured = listed.filter((client: { managed_by: string }) => client.managed_by === 'configuration');
  assert.deepEqual(
    configured.map(({ client_id: id, kind, created_at: at, calls }: Record<string, string>) => [id, kind, at, calls]),
    [
      ['engine', 'service', null, ['user:read', 'revocation:follow', 'registered-id:resolve', 'access:read-any']],
      ['journal', 'application', null, ['user:read']],
    ],
  );
  assert.deepEqual(listed.slice(0, 2), configured);
  const page = await administer(identity, 'GET', '?page=2&per_page=1');
  assert.deepEqual([page.json()[0].client_id, page.headers['x-total-count']], ['journal', String(listed.length)]);
  const third = await administer(identity, 'GET', '?page=2&per_page=2');
  const idsOf = (items: readonly { client_id: string }[]) => items.map(({ client_id: id }) => id);
  assert.deepEqual(idsOf(third.json()), idsOf(listed.slice(2, 4)));
  for (const [method, path, body] of [
    ['PUT', '/journal', SETTINGS],
    ['POST', '/engine/rotate-secret', {}],
    ['POST', '/journal/disable', undefined],
    ['POST', '/Journal/enable', undefined],
    ['DELETE', '/engine', undefined],
  ] as const) {
    const refused = await administer(identity, method, path, body);
    assert.deepEqual([refused.statusCode, refused.json().error], [409, 'conflict'], path);
  }
  for (const id of ['journal', 'JOURNAL', 'engine', 'Journal-2']) {
    const taken = await administer(identity, 'POST', '', { client_id: id, name: 'x', kind: 'application' });
    assert.deepEqual([taken.statusCode, taken.json().error], [409, 'conflict'], id);
  }
});

test('every error of a client is named at once', async () => {
  const invalid = await administer(identity, 'POST', '', {
    client_id: 'a b',
    name: '',
    kind: 'application',
    calls: ['contract:match', 'all'],
    redirects: ['http://app.example.org/', 'https://App.example.org/cb', 'https://app.example.org'],
    more: 1,
  });
  assert.deepEqual([invalid.statusCode, invalid.json().error], [400, 'validation_error']);
  const { messages } = invalid.json();
  for (const named of ['client_id', 'name', 'calls', 'more', 'redirects[0]', 'redirects[1]', 'redirects[2]']) {
    assert.ok(
      messages.some((message: string) => message.includes(named)),
      `${named}: ${messages}`,
    );
  }
  assert.ok(messages.some((message: string) => message.endsWith('must be written as https://app.example.org/cb')));
  for (const [client, named] of [
    [{ kind: 'service', public: true }, 'public'],
    [{ kind: 'service', redirects: [NEXT] }, 'redirects'],
    [{ kind: 'application', calls: ['contract:match'] }, 'calls[0]'],
    [{ kind: 'application', public: true, calls: ['user:read'] }, 'calls'],
  ] as const) {
    const refused = await administer(identity, 'POST', '', { client_id: 'faulty', name: 'x', ...client });
    assert.equal(refused.statusCode, 400);
    assert.match(refused.json().messages.join(), new RegExp(`'${named.replace('[', '\\[')}`));
  }
  assert.equal((await administer(identity, 'GET', '/faulty')).statusCode, 404);
  for (const path of ['/nobody', '/a%00b', '/..%2Fusers', "/'%20OR%201=1"]) {
    assert.equal((await administer(identity, 'GET', path)).statusCode, 404, path);
  }
});

test('a rotation: both secrets hold for the overlap, the new one alone after it; without an overlap at once', async () => {
  const { id, headers: first } = await makeClient(identity, { client_id: 'rotated' });
  const rotate = async (grace_hours: number) => {
    const answer = await administer(identity, 'POST', `/${id}/rotate-secret`, { grace_hours });
    assert.equal(answer.statusCode, 200, answer.body);
    return { headers: credentialsOf(id, answer.json().client_secret), ...answer.json() };
  };
  const second = await rotate(24);
  assert.match(second.previous_secret_valid_until, /\+00:00$/);
  assert.deepEqual([await asked(first), await asked(second.headers)], [200, 200]);
  assert.deepEqual([await asked(first), await asked(second.headers)], [200, 200], 'also when it is remembered');
  clock.advance(24 * HOUR_MS);
  assert.deepEqual([await asked(first), await asked(second.headers)], [403, 200]);
  const third = await rotate(0);
  assert.deepEqual([await asked(first), await asked(second.headers), await asked(third.headers)], [403, 403, 200]);
  assert.equal((await administer(identity, 'POST', `/${id}/rotate-secret`, { grace_hours: 721 })).statusCode, 400);
});

test('what one node changes the others hold soon: a new client, another secret, disabled, enabled, deleted', async () => {
  const { id, headers } = await makeClient(identity, { client_id: 'everywhere' });
  const becomes = (status: number, shown = headers) =>
    eventually(`the other node answers ${status}`, async () =>
      (await asked(shown, other)) === status ? true : undefined,
    );
  await becomes(200);
  await administer(identity, 'POST', `/${id}/disable`);
  assert.equal(await asked(headers), 403, 'at once where it was changed');
  await becomes(403);
  await administer(identity, 'POST', `/${id}/enable`);
  await becomes(200);
  const rotated = await administer(identity, 'POST', `/${id}/rotate-secret`, {});
  await becomes(403);
  await becomes(200, credentialsOf(id, rotated.json().client_secret));
  await administer(identity, 'DELETE', `/${id}`);
  await becomes(403, credentialsOf(id, rotated.json().client_secret));
  assert.equal((await administer(other, 'GET', `/${id}`)).statusCode, 404);
});

test('name, audience, calls and addresses are replaced; who asked last is shown', async () => {
  const { id, headers } = await makeClient(identity, { client_id: 'changing' });
  assert.equal(await asked(headers), 200);
  const changed = await change(id, { ...SETTINGS, name: 'Other', calls: [], audience: 'other' });
  assert.equal(changed.statusCode, 200, changed.body);
  const { name, calls, audience, redirects } = changed.json();
  assert.deepEqual({ name, calls, audience, redirects }, { ...SETTINGS, name: 'Other', calls: [], audience: 'other' });
  assert.equal(await asked(headers), 403, 'it may not ask any more');
  assert.equal((await change(id, { name: 'x' })).statusCode, 400, 'nothing is left out by mistake');
  assert.equal((await change(id, { ...SETTINGS, calls: ['contract:match'] })).statusCode, 400);
  assert.equal(await asked(credentialsOf('journal', 'another-secret-of-some-length'), other), 200);
  assert.equal((await other.app.inject({ url: '/api/auth/revocations', headers: asService })).statusCode, 200);
  for (const each of [id, 'journal', 'engine']) {
    const used = await eventually(`the use of ${each} is written down`, async () => {
      const { last_used_at: at } = (await administer(identity, 'GET', `/${each}`)).json();
      return at === null ? undefined : String(at);
    });
    assert.match(used, /^20/);
  }
  const [engine, journal] = (await administer(identity, 'GET')).json();
  for (const { last_used_at: at } of [engine, journal]) assert.match(at, /^20/, 'those of the configuration, too');
});

test('a repeated POST with an Idempotency-Key makes one client, and answers the same secret', async () => {
  const headers = { ...(await identity.asAdmin()), 'idempotency-key': 'once' };
  const payload = { client_id: 'once', name: 'Once', kind: 'service', calls: ['contract:match'] };
  const ask = () => app.inject({ method: 'POST', url: '/api/admin/clients', headers, payload });
  const [first, second] = [await ask(), await ask()];
  assert.deepEqual([first.statusCode, second.statusCode], [201, 201]);
  assert.equal(second.headers['idempotency-replayed'], 'true');
  assert.equal(first.json().client_secret, second.json().client_secret);
});

test('of fifty who take one id at once, in whatever case, one gets it', async () => {
  const headers = await identity.asAdmin();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      const client_id = index % 2 === 0 ? 'raced' : 'RACED';
      const node = index % 3 === 0 ? other : identity;
      const payload = { client_id, name: 'Raced', kind: 'application' };
      return node.app.inject({ method: 'POST', url: '/api/admin/clients', headers, payload });
    }),
  );
  const statuses = answers.map(({ statusCode }) => statusCode).filter((status) => status !== 503);
  assert.equal(statuses.filter((status) => status === 201).length, 1);
  assert.ok(
    statuses.every((status) => status === 201 || status === 409),
    String(statuses),
  );
});

test('a service on record may make the calls that its record names, and no other', async () => {
  const { headers } = await makeClient(identity, {
    client_id: 'follower',
    kind: 'service',
    calls: ['revocation:follow'],
  });
  const status = async (url: string, shown: Readonly<Record<string, string>> = headers) =>
    (await app.inject({ url, headers: shown })).statusCode;
  assert.equal(await status('/api/auth/revocations'), 200);
  assert.equal(await status('/api/auth/users/01900000-0000-7000-8000-00000000ffff/access'), 403);
  assert.equal(await asked(headers), 403);
  assert.equal(await status('/api/admin/clients'), 401, 'where people act it is nobody');
  assert.equal(await status('/api/auth/revocations', { ...headers, 'x-sso-client-secret': 'x' }), 403);
  const introspect = { method: 'POST', url: '/api/auth/clients/introspect' } as const;
  const payload = {
    client_id: headers['x-sso-client-id'],
    client_secret: headers['x-sso-client-secret'],
    address: '::1',
  };
  assert.equal((await app.inject({ ...introspect, headers, payload })).statusCode, 403, 'it verifies nobody');
  const introspected = await app.inject({ ...introspect, headers: asService, payload });
  assert.deepEqual(introspected.json(), {
    active: true,
    client_id: 'follower',
    kind: 'service',
    calls: ['revocation:follow'],
  });
  const wrong = await app.inject({ ...introspect, headers: asService, payload: { ...payload, client_secret: 'x' } });
  assert.deepEqual(wrong.json(), { active: false });
  const configured = { client_id: 'journal', client_secret: 'another-secret-of-some-length', address: '::1' };
  const known = await app.inject({ ...introspect, headers: asService, payload: configured });
  assert.deepEqual([known.json().active, known.json().kind], [true, 'application']);
});

test('every change is audited, and no secret is stored', async () => {
  const events = new Set(await auditedEvents(identity));
  for (const name of ['create', 'change', 'rotate-secret', 'disable', 'enable', 'delete']) {
    assert.ok(events.has(`client.${name}`), name);
  }
  const audited = await database.query('SELECT resource FROM audit_event');
  assert.doesNotMatch(JSON.stringify(audited.rows), /kedja_client_/);
  assert.doesNotMatch(identity.lines.join('\n'), /kedja_client_/);
});
