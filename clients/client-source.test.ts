// How dispatch and the engine read identity's responses about a client, and how long they cache them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceRequest, ServiceResponse } from '#lib/http/upstream/service-fetch.ts';
import { createClientSource } from './client-source.ts';

const SHOWN = { clientId: 'planner', clientSecret: 'a-secret' };
const KNOWN = { active: true, client_id: 'planner', kind: 'service', calls: ['contract:match'] };

function makeSource(answers: (Partial<ServiceResponse> & { json?: unknown })[]) {
  const asked: ServiceRequest[] = [];
  const clock = { time: 0, now: () => clock.time };
  const source = createClientSource({
    fetch: async (path, request = {}) => {
      assert.equal(path, '/api/auth/clients/introspect');
      asked.push(request);
      const { json, ...answer } = answers[Math.min(asked.length, answers.length) - 1] ?? {};
      return { status: 200, headers: {}, text: JSON.stringify(json ?? {}), ...answer };
    },
    credentials: { clientId: 'engine', clientSecret: 'between-us' },
    clock,
  });
  return { source, asked, clock };
}

test('a service is a principal with its calls and no role, cached for half a second', async () => {
  const { source, asked, clock } = makeSource([{ json: KNOWN }, { json: { active: false } }]);
  const principal = await source.read(SHOWN, '192.0.2.7');
  assert.deepEqual([principal?.kind, principal?.id, principal?.roles.size], ['service', 'planner', 0]);
  assert.deepEqual([...(principal?.calls ?? [])], ['contract:match']);
  const [{ headers, json } = {}] = asked;
  assert.deepEqual(json, { client_id: 'planner', client_secret: 'a-secret', address: '192.0.2.7' });
  assert.equal(headers?.['x-sso-client-id'], 'engine');
  clock.time = 499;
  assert.equal(await source.read(SHOWN, undefined), principal);
  clock.time = 500;
  assert.equal(await source.read(SHOWN, undefined), undefined);
  assert.equal(asked.length, 2);
});

test('an application, an unknown client and an identity of the previous release give no principal; long credentials are not sent', async () => {
  assert.equal(await makeSource([{ json: { ...KNOWN, kind: 'application' } }]).source.read(SHOWN, '::1'), undefined);
  assert.equal(await makeSource([{ status: 404 }]).source.read(SHOWN, '::1'), undefined);
  const { source, asked } = makeSource([{ json: KNOWN }]);
  assert.equal(await source.read({ ...SHOWN, clientSecret: 'x'.repeat(1025) }, '::1'), undefined);
  assert.equal(asked.length, 0);
});

test('rate limits are passed on; an unavailable or invalid identity is no refusal and is not cached', async () => {
  const limited = makeSource([{ status: 429, headers: { 'retry-after': '7' } }]);
  await assert.rejects(limited.source.read(SHOWN, '::1'), { code: 'rate_limited', retryAfterSeconds: 7 });
  const away = makeSource([{ status: 503 }, { json: KNOWN }]);
  await assert.rejects(away.source.read(SHOWN, '::1'), { status: 503 });
  assert.equal((await away.source.read(SHOWN, '::1'))?.id, 'planner');
  await assert.rejects(makeSource([{ json: { active: 'yes' } }]).source.read(SHOWN, '::1'), { code: 'upstream_error' });
});
