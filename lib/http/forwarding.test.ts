import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTestApp } from '#test/support/http-app.ts';
import { createForwarding, GATEWAY_HEADER } from './forwarding.ts';

const PROOF = 'a proof of the gateway';
const CLIENT = '203.0.113.7';

/** The origin of a request as an application with one proxy and a gateway reports it. */
async function seen(headers: Readonly<Record<string, string>>, remoteAddress = '127.0.0.1') {
  const app = await makeTestApp({}, { trustProxy: ['192.0.2.0/24', '2001:db8::1'], gatewayProof: PROOF });
  app.get('/seen', { config: { permission: 'public' } }, async (request) => ({
    ip: request.ip,
    host: request.host,
    protocol: request.protocol,
    headers: Object.keys(request.headers).filter((name) => /forwarded|real-ip|gateway/.test(name)),
  }));
  const answer = await app.inject({ url: '/seen', headers: { host: 'own', ...headers }, remoteAddress });
  const metrics = await app.inject({ url: '/metrics', headers, remoteAddress });
  await app.close();
  return { ...answer.json(), metrics: metrics.statusCode };
}

const FORGED = {
  'x-forwarded-for': CLIENT,
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '1',
  forwarded: `for=${CLIENT}`,
  'x-real-ip': CLIENT,
};

test('forwarding headers of a client on this machine are ignored and removed', async () => {
  for (const forged of [FORGED, { ...FORGED, [GATEWAY_HEADER]: 'guessed' }, { [GATEWAY_HEADER]: `${PROOF}x` }]) {
    const expected = { ip: '127.0.0.1', host: 'own', protocol: 'http', headers: [], metrics: 200 };
    assert.deepEqual(await seen(forged), expected);
  }
});

test('a configured proxy and the gateway are trusted, each for its last hop only', async () => {
  const forwarded = { 'x-forwarded-for': `198.51.100.1, ${CLIENT}`, 'x-forwarded-proto': 'https' };
  for (const [headers, peer] of [
    [forwarded, '192.0.2.9'],
    [forwarded, '::ffff:192.0.2.9'],
    [forwarded, '2001:db8::1'],
    [{ ...forwarded, [GATEWAY_HEADER]: PROOF }, '127.0.0.1'],
    // A proxy in front of a proxy.
    [{ ...forwarded, 'x-forwarded-for': `198.51.100.1, ${CLIENT}, 192.0.2.3` }, '192.0.2.9'],
  ] as const) {
    const { ip, protocol, headers: left, metrics } = await seen(headers, peer);
    const kept = ['x-forwarded-for', 'x-forwarded-proto'];
    assert.deepEqual(
      { ip, protocol, left: left.toSorted(), metrics },
      { ip: CLIENT, protocol: 'https', left: kept, metrics: 404 },
    );
  }
});

test('an invalid entry is no address, and without the header the proxy is the client', async () => {
  const peer = '192.0.2.9';
  for (const [list, ip] of [
    ['<script>, 203.0.113.7', CLIENT],
    ['203.0.113.7:4711', CLIENT],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['::FFFF:203.0.113.7', CLIENT],
    ['198.51.100.1, unknown', peer],
    ['', peer],
    [',,', peer],
    [`${'1.2.3.4,'.repeat(1000)} ${CLIENT}`, CLIENT],
  ] as const) {
    const answer = await seen({ 'x-forwarded-for': list }, peer);
    assert.deepEqual([answer.ip, answer.metrics], [ip, 404], list);
  }
  assert.deepEqual(await seen({ 'x-forwarded-proto': 'https' }, peer), {
    ip: peer,
    host: 'own',
    protocol: 'http',
    headers: [],
    metrics: 200,
  });
});

test('without a configured gateway its header is ignored', () => {
  const { clean } = createForwarding({ trustProxy: [] });
  for (const proof of ['', 'undefined']) {
    const request = { headers: { [GATEWAY_HEADER]: proof, 'x-forwarded-for': CLIENT }, socket: {} as never };
    clean(request);
    assert.deepEqual(request.headers, {});
  }
});
