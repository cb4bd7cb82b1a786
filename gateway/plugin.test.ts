import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { makeTestApp } from '#test/support/http-app.ts';
import { registerGateway } from './plugin.ts';

const echo: Server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    response.writeHead(201, { 'content-type': 'application/json', location: '/made/1' });
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
  });
});
await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
const echoUrl = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;

const app = await makeTestApp();
await registerGateway(app, {
  upstreams: { identity: echoUrl, dispatch: echoUrl, engine: 'http://127.0.0.1:9' },
  startPage: () => ({
    version: '1.2.3',
    accounts: [{ role: { sv: 'Läkare', en: 'Doctor' }, name: 'Åsa <Öst>', email: 'asa@example.org', password: 'p&q' }],
    suggestions: [{ title: { sv: 'Titta', en: 'Look' }, text: { sv: 'här', en: 'here' }, href: '/engine/docs/' }],
  }),
});
after(async () => {
  await app.close();
  echo.close();
});

test('requests reach the service without the prefix, with method, query, body and status as they are; a place it answers gets the prefix', async () => {
  const answer = await app.inject({
    method: 'POST',
    url: '/identity/api/x%2Fy?a=1&b=%C3%A5',
    payload: { name: 'Åsa' },
  });
  const seen = answer.json();
  assert.deepEqual([answer.statusCode, answer.headers.location], [201, '/identity/made/1']);
  assert.deepEqual([seen.method, seen.url, seen.body], ['POST', '/api/x%2Fy?a=1&b=%C3%A5', '{"name":"Åsa"}']);
});

test('what a client claims about where it comes from is replaced by what the gateway sees', async () => {
  const headers = {
    'x-forwarded-for': '203.0.113.9',
    forwarded: 'for=203.0.113.9',
    'x-request-id': 'r-1',
    authorization: 'Bearer t',
  };
  const seen = (await app.inject({ url: '/dispatch/api/v1/metadata', headers, remoteAddress: '198.51.100.7' })).json();
  assert.equal(seen.headers['x-forwarded-for'], '198.51.100.7');
  assert.equal(seen.headers.forwarded, undefined);
  assert.deepEqual([seen.headers['x-request-id'], seen.headers.authorization], ['r-1', 'Bearer t']);
});

test('a path may not climb out of its service', async () => {
  const answer = await app.inject('/identity/../dispatch/x');
  assert.notEqual(answer.statusCode, 500);
  const encoded = await app.inject('/identity/%2e%2e/secret');
  assert.notEqual(encoded.statusCode, 201);
});

test('a service that is down answers 503 in our form', async () => {
  const answer = await app.inject('/engine/api/v1/metadata');
  assert.deepEqual([answer.statusCode, answer.json().error], [503, 'upstream_unavailable']);
  assert.ok(answer.headers['retry-after']);
});

test('the start page speaks both languages, escapes what it shows and allows no scripts', async () => {
  const swedish = await app.inject({ url: '/', headers: { 'accept-language': 'sv-SE' } });
  assert.match(swedish.body, /<html lang="sv">/);
  assert.match(swedish.body, /Åsa &lt;Öst&gt;/);
  assert.match(swedish.body, /p&amp;q/);
  const english = await app.inject('/?lang=en');
  assert.match(english.body, /Three things to try/);
  assert.match(String(english.headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/);
});
