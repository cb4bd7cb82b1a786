// Whatever name of the machine a client uses, links, addresses of what is made and pages of a list are the same. They
// have the public origin (KEDJA_PUBLIC_URL), or are a path without an origin.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { lastFirst } from '#test/support/hooks.ts';
import { ADMIN, startWholeSystem } from '#test/support/system/whole-system.ts';

const hooks = lastFirst({ after });
const { gateway } = await startWholeSystem(hooks);
const { port } = new URL(gateway);
const NAMES = ['127.0.0.1', 'localhost', 'kedja.test'] as const;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends a request to the gateway under another name of the machine. */
function ask(name: string, path: string, { token, body }: { token?: string; body?: object } = {}): Promise<Answer> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    host: `${name}:${port}`,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
  };
  const method = sent === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    call.on('error', reject);
    call.end(sent);
  });
}

const signedIn = await ask('127.0.0.1', '/identity/api/auth/login', { body: ADMIN });
const { token } = JSON.parse(signedIn.body);
const PATIENT = { resourceType: 'Patient', name: [{ family: 'Berg' }] };

/** Every address in a FHIR Bundle or resource. */
function addressesIn(body: string): readonly string[] {
  return [...body.matchAll(/"(?:url|fullUrl|location)"\s*:\s*"([^"]+)"/g)].map(([, address = '']) => address);
}

test('lists page by the same links under every name', async () => {
  for (let index = 0; index < 3; index += 1) {
    for (const service of ['engine', 'dispatch']) {
      const made = await ask('localhost', `/${service}/api/v1/Patient`, { token, body: PATIENT });
      assert.equal(made.status, 201, made.body);
    }
  }
  const lists = [
    '/engine/api/v1/Patient?_count=1',
    '/engine/api/v1/Patient/_history?_count=1',
    '/dispatch/api/v1/Patient?_count=1',
    '/dispatch/api/v1/ServiceRequest?page=1&per_page=1',
    '/dispatch/api/v1/deliveries?per_page=1',
    '/engine/api/v1/concepts?per_page=1',
    '/identity/api/admin/users?page=1&per_page=1',
    '/identity/fhir/Organization?_count=1',
    '/engine/fhir/metadata',
    '/engine/api/v1/metadata',
    '/dispatch/metadata',
    '/identity/fhir/metadata',
  ];
  for (const path of lists) {
    const answers = await Promise.all(NAMES.map((name) => ask(name, path, { token })));
    const [first, ...others] = answers.map(({ status, headers, body }) => ({
      status,
      link: headers['link'],
      addresses: addressesIn(body),
    }));
    for (const other of others) assert.deepEqual(other, first, path);
    const absolute = (first?.addresses ?? []).filter((address) =>
      /^https?:\/\/(?:127|localhost|kedja\.test)/.test(address),
    );
    assert.deepEqual(
      absolute.filter((address) => !address.startsWith(`${gateway}/`)),
      [],
      path,
    );
  }
});

test('a link to the next page works under every name, and so does the address of what was made', async () => {
  for (const name of NAMES) {
    const first = await ask(name, '/identity/api/admin/users?page=1&per_page=1', { token });
    const link = String(first.headers['link'] ?? '');
    for (const [, target = ''] of link.matchAll(/<([^>]+)>/g)) {
      assert.match(target, /^\/identity\//, 'a path, which is at the name that the client uses');
      assert.equal((await ask(name, target, { token })).status, 200);
    }
    for (const service of ['engine', 'dispatch']) {
      const made = await ask(name, `/${service}/api/v1/Patient`, { token, body: PATIENT });
      const location = new URL(String(made.headers['location']), gateway);
      assert.equal(location.origin, gateway);
      assert.equal((await ask(name, location.pathname, { token })).status, 200, location.href);
      const bundle = JSON.parse((await ask(name, `/${service}/api/v1/Patient?_count=1`, { token })).body);
      const next = bundle.link.find(({ relation }: { relation: string }) => relation === 'next');
      const { pathname, search } = new URL(next.url);
      assert.equal((await ask(name, `${pathname}${search}`, { token })).status, 200);
    }
  }
});
