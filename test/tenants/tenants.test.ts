// Tenants in a whole system (docs/adr/0137): each has its own records, whoever asks and whatever the address looks
// like.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { call, eventually } from '#test/support/http.ts';
import { rawRequest } from '#test/support/raw-request.ts';
import { ADMIN } from '#test/support/system/whole-system.ts';
import { startTenantSystem, succeed } from './tenant-system.ts';

/** Of an application that takes one-time codes. */
const CALLBACK = 'https://app.example.org/callback';
const system = await startTenantSystem(
  lastFirst({ after }),
  async ({ tenant, makeRole }) => {
    await succeed(tenant('add', 'north', '--database', await makeRole('north'), '--host', 'north.example.org'));
    await succeed(tenant('add', 'south', '--database', await makeRole('south')));
  },
  { KEDJA_SSO_REDIRECTS: CALLBACK },
);
const { gateway, engine, dispatch, identity, signIn, tenant } = system;
for (const name of ['north', 'south']) await succeed(tenant('admit', name, ADMIN.email));
const tokens = { default: await signIn(), north: await signIn('north'), south: await signIn('south') };
const NAMES = ['default', 'north', 'south'] as const;
type Name = (typeof NAMES)[number];

interface Operation {
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

const at = (service: 'engine' | 'dispatch', name: Name) =>
  `${gateway}/${service}${name === 'default' ? '' : `/t/${name}`}/api/v1`;
const patient = (name: string) => ({ resourceType: 'Patient', id: 'same', name: [{ family: name }] });

test('the same id is another record in each tenant, and a search finds its own alone', async () => {
  for (const service of ['engine', 'dispatch'] as const) {
    for (const name of NAMES)
      await call(`${at(service, name)}/Patient/same`, { method: 'PUT', token: tokens[name], json: patient(name) });
    for (const name of NAMES) {
      const options = { token: tokens[name] };
      const { body } = await call(`${at(service, name)}/Patient/same`, options);
      assert.equal(body.name[0].family, name);
      const found = (await call(`${at(service, name)}/Patient?_count=50`, options)).body;
      assert.deepEqual(
        found.entry.map((entry: { resource: { name: { family: string }[] } }) => entry.resource.name[0]?.family),
        [name],
      );
      const base = at(service, name).replace('/t/north', '');
      const expected = name === 'north' ? base.replace('127.0.0.1', 'north.example.org') : base;
      assert.equal(found.entry[0].fullUrl, `${expected}/Patient/same`);
    }
  }
});

test('a token is for one tenant, and none of another or of the default one', async () => {
  for (const service of ['engine', 'dispatch'] as const) {
    for (const to of NAMES) {
      for (const from of NAMES) {
        const expect = to === from ? 200 : 403;
        await call(`${at(service, to)}/Patient/same`, { token: tokens[from], expect });
        // Again, when the token is cached.
        await call(`${at(service, to)}/Patient/same`, { token: tokens[from], expect });
      }
    }
  }
  const me = await call(`${gateway}/identity/api/auth/me`, { token: tokens.south });
  assert.equal(me.body.email, ADMIN.email, 'identity is common');
});

/** Asks as a browser does that keeps its cookies in `jar`. */
async function visitWith(jar: Map<string, string>, url: string, init: RequestInit = {}): Promise<Response> {
  const cookie = [...jar].map(([key, value]) => `${key}=${value}`).join('; ');
  const answer = await fetch(url, { redirect: 'manual', ...init, headers: { cookie, ...init.headers } });
  for (const each of answer.headers.getSetCookie()) {
    const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
    if (value === '') jar.delete(key);
    else jar.set(key, value);
  }
  return answer;
}

/** Signs the administrator in by the pages at a tenant's address, as a browser does. Keeps its cookies in `jar`. */
async function signInByPages(name: Name, jar: Map<string, string>): Promise<void> {
  const visit = (url: string, init?: RequestInit) => visitWith(jar, url, init);
  const begun = await visit(at('engine', name).replace('/api/v1', '/auth/login'));
  const page = new URL(begun.headers.get('location') ?? '');
  const body = new URLSearchParams({ ...Object.fromEntries(page.searchParams), ...ADMIN });
  const form = new URL('api/auth/login', page);
  const headers = { origin: gateway, 'sec-fetch-site': 'same-origin', accept: 'text/html' };
  const done = await visit(form.href, { method: 'POST', body, headers });
  assert.equal(done.status, 302, await done.text());
  const back = await visit(done.headers.get('location') ?? '');
  assert.equal(back.status, 303);
}

test('in one browser the sessions of two tenants are side by side, and each opens its tenant alone', async () => {
  const jar = new Map<string, string>();
  const statusAt = async (name: Name) => {
    const headers = { cookie: [...jar].map(([key, value]) => `${key}=${value}`).join('; ') };
    return (await fetch(`${at('engine', name)}/Patient/same`, { headers })).status;
  };
  await signInByPages('south', jar);
  assert.deepEqual([await statusAt('south'), await statusAt('north'), await statusAt('default')], [200, 401, 401]);
  await signInByPages('default', jar);
  assert.deepEqual([await statusAt('south'), await statusAt('north'), await statusAt('default')], [200, 401, 200]);
});

test('who has signed in at one tenant is not asked again at another of the same host, unless no member of it', async () => {
  const jar = new Map<string, string>();
  const passAt = async (name: Name | 'west') => {
    const root = `${gateway}/engine${name === 'default' ? '' : `/t/${name}`}`;
    const begun = await visitWith(jar, `${root}/auth/login`);
    const page = begun.headers.get('location');
    const passed = page === null ? begun : await visitWith(jar, page);
    const back = passed.status === 302 ? await visitWith(jar, passed.headers.get('location') ?? '') : undefined;
    return { passed, back, status: (await visitWith(jar, `${root}/api/v1/Patient/same`)).status };
  };
  assert.equal((await passAt('south')).passed.status, 200, 'the page asks who it is');
  await signInByPages('default', jar);
  const { back, status } = await passAt('south');
  assert.deepEqual([back?.status, status], [303, 200]);
  await succeed(tenant('add', 'west', '--database', await system.makeRole('west')));
  const refused = await eventually('the nodes know the tenant', async () => {
    const tried = await passAt('west');
    return [404, 503].includes(tried.passed.status) ? undefined : tried;
  });
  assert.equal(refused.status, 401, 'no session there');
  assert.notEqual(refused.back?.status, 303);
  await succeed(tenant('remove', 'west', '--yes'));
});

test('the caller and the list of sessions say for which tenant a token is', async () => {
  const me = async (token: string) => (await call(`${gateway}/identity/api/auth/me`, { token })).body.tenant;
  for (const name of NAMES) assert.equal(await me(tokens[name]), name);
  await signInByPages('south', new Map());
  const { body } = await call(`${gateway}/identity/api/auth/sessions`, { token: tokens.north });
  const sessions = body as { tenants: string[]; last_used_at: string | null; current: boolean; clients: object[] }[];
  assert.deepEqual(sessions.find(({ current }) => current)?.tenants, ['north']);
  const [browser] = sessions.filter(({ last_used_at: usedAt }) => usedAt !== null);
  assert.deepEqual(browser?.tenants, ['south']);
  assert.deepEqual(
    browser?.clients.map((each) => (each as { tenant: string }).tenant),
    ['south'],
  );
  const tenants = new Set(sessions.flatMap((each) => each.tenants));
  for (const name of NAMES) assert.ok(tenants.has(name), name);
});

test('the host name names the tenant as well, however it is written', async () => {
  const { port } = new URL(engine);
  for (const host of ['north.example.org', 'NORTH.example.org', `north.example.org:${port}`, 'north.example.org.']) {
    const headers = { host, authorization: `Bearer ${tokens.north}` };
    const answer = await rawRequest(engine, '/api/v1/Patient/same', { headers });
    assert.equal(answer.status, 200, host);
    assert.match(answer.text, /"family":"north"/);
    assert.equal((await rawRequest(gateway, '/engine/api/v1/Patient/same', { headers })).status, 200, host);
    const other = { host, authorization: `Bearer ${tokens.default}` };
    assert.equal((await rawRequest(engine, '/api/v1/Patient/same', { headers: other })).status, 403, host);
  }
  const both = { host: 'north.example.org', authorization: `Bearer ${tokens.south}` };
  assert.equal((await rawRequest(engine, '/t/south/api/v1/Patient/same', { headers: both })).status, 404);
});

test('no other header, query or body names a tenant', async () => {
  const claims = {
    'x-forwarded-host': 'north.example.org',
    forwarded: 'host=north.example.org',
    'x-original-host': 'north.example.org',
    'x-tenant': 'north',
  };
  const headers = { ...claims, authorization: `Bearer ${tokens.default}` };
  for (const origin of [engine, `${gateway}/engine`]) {
    const { pathname } = new URL(origin);
    const path = `${pathname === '/' ? '' : pathname}/api/v1/Patient/same?tenant=north`;
    // Strict handling of an unknown parameter is a request's own choice.
    const answer = await rawRequest(origin, path, { headers });
    assert.match(answer.text, /"family":"default"/);
  }
});

test('an address that only looks like a tenant’s leads nowhere', async () => {
  const paths = [
    '/t/north',
    '/t/nowhere/api/v1/Patient/same',
    '/t/North/api/v1/Patient/same',
    '/T/north/api/v1/Patient/same',
    '/t%2fnorth/api/v1/Patient/same',
    '/%74/north/api/v1/Patient/same',
    '//t/north/api/v1/Patient/same',
    '/t//north/api/v1/Patient/same',
    '/t/north/../south/api/v1/Patient/same',
    '/t/north/%2e%2e/south/api/v1/Patient/same',
    '/t/north/t/south/api/v1/Patient/same',
    '/t/north%2f../south/api/v1/Patient/same',
    '/t/north;x/api/v1/Patient/same',
    '/t/north/metrics',
    '/t/north/%6detrics',
    '/t/north/readyz',
  ];
  for (const token of Object.values(tokens)) {
    for (const path of paths) {
      for (const [origin, prefix] of [
        [engine, ''],
        [dispatch, ''],
        [gateway, '/engine'],
      ] as const) {
        const answer = await rawRequest(origin, prefix + path, { headers: { authorization: `Bearer ${token}` } });
        assert.ok([400, 404].includes(answer.status), `${prefix}${path} answered ${answer.status}`);
        assert.doesNotMatch(answer.text, /family|kedja_/);
      }
    }
  }
});

test('keys of a tenant open that tenant alone', async () => {
  for (const name of ['default', 'north'] as const) {
    const made = await call(`${at('engine', name)}/api-keys`, {
      token: tokens[name],
      json: { name: 'reader', scopes: ['system/Patient.rs'] },
    });
    const apiKey: string = made.body.key ?? made.body.api_key;
    assert.ok(apiKey, made.text);
    for (const service of ['engine', 'dispatch'] as const) {
      for (const to of NAMES) {
        const expect = to === name ? 200 : 401;
        for (const _again of [1, 2]) await call(`${at(service, to)}/Patient/same`, { apiKey, expect });
      }
    }
  }
});

test('every route refuses the token of another tenant, or is for anybody', async () => {
  for (const service of ['engine', 'dispatch'] as const) {
    const document = (await call(`${gateway}/${service}/openapi.json`)).body;
    let asked = 0;
    const undocumented: string[] = [];
    for (const [template, operations] of Object.entries<Record<string, Operation>>(document.paths)) {
      const path = template.replace(/\{[^}]*\}/g, 'same');
      for (const [key, { responses }] of Object.entries(operations)) {
        const method = key.toUpperCase();
        if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) continue;
        const open = await rawRequest(gateway, `/${service}/t/south${path}`, { method });
        // Whoever needs no credentials is told the same with those of another tenant.
        const isOpen = open.status !== 401;
        const headers = { authorization: `Bearer ${tokens.north}`, 'content-type': 'application/json' };
        const other = await rawRequest(gateway, `/${service}/t/south${path}`, { method, headers });
        asked += 1;
        for (const { status } of [open, other])
          if (!(String(status) in responses)) undocumented.push(`${method} ${template} ${status}`);
        if (other.status === 403 && !responses['403']?.description.includes('`forbidden`'))
          undocumented.push(`${method} ${template} forbidden`);
        if (isOpen)
          assert.ok(other.status === open.status || other.status === 415, `${method} ${path} ${other.status}`);
        else assert.equal(other.status, 403, `${method} ${path} answered ${other.status}`);
      }
    }
    assert.deepEqual(undocumented, []);
    assert.ok(asked > 50, `${service} has more routes than ${asked}`);
  }
});

test('a stored profile, search parameter and code system hold in their tenant alone', async () => {
  const profile = {
    resourceType: 'StructureDefinition',
    url: 'https://north.example.org/StructureDefinition/named',
    name: 'Named',
    status: 'active',
    kind: 'resource',
    abstract: false,
    type: 'Patient',
    baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
    derivation: 'constraint',
    differential: { element: [{ id: 'Patient.birthDate', path: 'Patient.birthDate', min: 1 }] },
  };
  await call(`${at('engine', 'north')}/StructureDefinition`, { token: tokens.north, json: profile, expect: 201 });
  const claimed = { resourceType: 'Patient', meta: { profile: [profile.url] }, name: [{ family: 'X' }] };
  await call(`${at('engine', 'north')}/Patient`, { token: tokens.north, json: claimed, expect: 422 });
  for (const name of ['default', 'south'] as const)
    await call(`${at('engine', name)}/Patient`, { token: tokens[name], json: claimed, expect: 201 });
  const system = {
    resourceType: 'CodeSystem',
    url: 'https://north.example.org/CodeSystem/own',
    status: 'active',
    content: 'complete',
    concept: [{ code: 'a', display: 'A' }],
  };
  await call(`${at('engine', 'north')}/CodeSystem`, { token: tokens.north, json: system, expect: 201 });
  const lookup = `CodeSystem/$lookup?system=${encodeURIComponent(system.url)}&code=a`;
  await call(`${at('engine', 'north')}/${lookup}`, { token: tokens.north, expect: 200 });
  for (const name of ['default', 'south'] as const)
    await call(`${at('engine', name)}/${lookup}`, { token: tokens[name], expect: 404 });
});

test('an Idempotency-Key is another one in each tenant', async () => {
  const headers = { 'idempotency-key': 'one-for-all' };
  const made = new Set<string>();
  for (const name of NAMES) {
    const { body } = await call(`${at('engine', name)}/Patient`, {
      token: tokens[name],
      headers,
      json: { resourceType: 'Patient', name: [{ family: `once ${name}` }] },
      expect: 201,
    });
    assert.equal(body.name[0].family, `once ${name}`);
    made.add(body.id);
  }
  assert.equal(made.size, 3);
});

test('who is no member gets no token, and loses one with the membership', async () => {
  await succeed(tenant('expel', 'south', ADMIN.email));
  await eventually('the token ended', async () => {
    const { status } = await rawRequest(gateway, '/engine/t/south/api/v1/Patient/same', {
      headers: { authorization: `Bearer ${tokens.south}` },
    });
    return status === 401 ? true : undefined;
  });
  await call(`${identity}/t/south/api/auth/login`, { json: ADMIN, expect: 403 });
  // A code of another address gives no token for this one.
  const redirected = await fetch(`${identity}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...ADMIN, next: CALLBACK, response_mode: 'code' }),
    redirect: 'manual',
  });
  const code = new URL(redirected.headers.get('location') ?? '').searchParams.get('code');
  await call(`${identity}/t/south/api/auth/token`, { json: { code, next: CALLBACK }, expect: 401 });
  const refused = { ...ADMIN, next: CALLBACK, response_mode: 'code' };
  await call(`${identity}/t/south/api/auth/login`, { json: refused, expect: 403 });
  const { paths } = (await call(`${identity}/openapi.json`)).body;
  for (const path of [
    '/api/auth/login',
    '/api/auth/login/second-factor',
    '/api/auth/token',
    '/api/auth/accounts/sign-in',
  ])
    assert.match(paths[path].post.responses['403']?.description, /`forbidden`/, path);
  await succeed(tenant('admit', 'south', ADMIN.email));
  tokens.south = await signIn('south');
  await call(`${at('engine', 'south')}/Patient/same`, { token: tokens.south });
});

test('a tenant is added and removed while the system runs', async () => {
  const added = await tenant('add', 'east', '--database', await system.makeRole('east'));
  assert.equal(added.code, 0, added.stderr);
  await succeed(tenant('admit', 'east', ADMIN.email));
  const login = () => call(`${identity}/t/east/api/auth/login`, { json: ADMIN }).catch(() => undefined);
  const token: string = (await eventually('east is known', login)).body.token;
  await eventually('east is served', async () => {
    const answer = await rawRequest(gateway, '/engine/t/east/api/v1/Patient', {
      headers: { authorization: `Bearer ${token}` },
    });
    return answer.status === 200 ? true : undefined;
  });
  assert.match((await succeed(tenant('list'))).stdout, /^east +east +.*ok$/m);
  await succeed(tenant('remove', 'east', '--yes'));
  await eventually('east is gone', async () => {
    const answer = await rawRequest(gateway, '/engine/t/east/api/v1/Patient', {
      headers: { authorization: `Bearer ${token}` },
    });
    return answer.status === 404 ? true : undefined;
  });
  // Identity is common, but the token is no more.
  await eventually('the token ended', async () => {
    const answer = await rawRequest(identity, '/api/auth/me', { headers: { authorization: `Bearer ${token}` } });
    return answer.status === 401 ? true : undefined;
  });
  await call(`${at('engine', 'north')}/Patient/same`, { token: tokens.north });
});

test('the roles of the databases would have shown a statement on another tenant’s tables', async () => {
  assert.doesNotMatch(system.kedja.output(), /permission denied/);
  assert.match(system.kedja.output(), /"tenant":"north"/);
});
