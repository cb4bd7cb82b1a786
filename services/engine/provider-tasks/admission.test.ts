// The checks before a body is read, on routes whose only credential is a receipt token or a signature (docs/adr/0040).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestInbox } from '#test/support/engine/engine-inbox.ts';

const inbox = await startTestInbox({ after }, { receiptsPerMinute: 20 });
const { app, call, push, provider, send, clock } = inbox;
const NO_JSON = 'x'.repeat(2 * 1024 * 1024);

/** From an address of its own, so that guesses are counted apart. */
async function from(remoteAddress: string, path: string, payload: string, headers: Record<string, string> = {}) {
  const url = `/api/v1/provider-tasks/${path}`;
  const type = { 'content-type': 'application/json' };
  return app.inject({ method: 'POST', url, remoteAddress, headers: { ...type, ...headers }, payload });
}

test('an unknown token is refused before the body is read', async () => {
  for (const path of ['accept', 'reject', 'report']) {
    const answer = await from('192.0.2.1', `no-such-token/${path}`, NO_JSON);
    assert.deepEqual([answer.statusCode, answer.json().error], [404, 'not_found'], path);
  }
});

test('who holds a token may send what a report holds', async () => {
  const { token } = await push();
  await call(undefined, 'POST', `/provider-tasks/${token}/accept`);
  const note = JSON.stringify({ status: 'final', note: 'x'.repeat(3 * 1024 * 1024) });
  const answer = await from('192.0.2.1', `${token}/report`, note);
  assert.deepEqual([answer.statusCode, answer.json().messages?.length], [400, 1], answer.payload);
});

test('guesses are counted by who makes them, requests with a token by the token', async () => {
  const { token } = await push();
  const statuses = [];
  for (let guess = 0; guess < 21; guess += 1) {
    const answer = await from('192.0.2.7', `guess-${guess}/accept`, '{}');
    statuses.push(answer.statusCode);
  }
  assert.deepEqual([statuses[19], statuses[20]], [404, 429]);
  const held = await from('192.0.2.7', `${token}/accept`, '{}');
  assert.deepEqual([held.statusCode, held.headers['ratelimit-limit']], [200, '20'], held.payload);
});

test('a webhook whose headers are wrong is refused before its body is read', async () => {
  const seconds = Math.floor(clock.time / 1000);
  const headers = (timestamp: number, signature: string) => ({
    'webhook-id': 'one',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature,
  });
  const signature = `v1,${'A'.repeat(43)}=`;
  const at = `inbox?provider_guid=${provider}`;
  const messageOf = async (path: string, given: Record<string, string>) => {
    const answer = await from('192.0.2.1', path, NO_JSON, given);
    assert.equal(answer.statusCode, 401, answer.payload);
    return answer.json().message as string;
  };
  assert.match(await messageOf(at, {}), /missing_header/);
  assert.match(await messageOf(at, headers(seconds - 600, signature)), /bad_timestamp/);
  assert.match(await messageOf(at, headers(seconds, 'v1,short')), /bad_signature/);
  assert.match(await messageOf('inbox?provider_guid=nobody', headers(seconds, signature)), /not signed/);
  // What could be right is decided by its bytes, and never parsed before.
  assert.match(await messageOf(at, headers(seconds, signature)), /bad_signature/);
  const answer = await from('192.0.2.1', 'inbox', NO_JSON);
  assert.equal(answer.statusCode, 413, answer.payload);
  assert.equal(await send({ type: 'ping', data: { large: 'x'.repeat(2 * 1024 * 1024) } }), 204);
});
