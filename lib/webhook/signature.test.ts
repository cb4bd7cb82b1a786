import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, signLongWebhook, signWebhook, verifyLongWebhook, verifyWebhook } from './signature.ts';

const body = JSON.stringify({ type: 'ping', name: 'Åsa' });
const now = Math.floor(Date.now() / 1000);
const message = { id: 'msg_1', timestampSeconds: now, body };

test('what we sign, the published library verifies', () => {
  const secret = newWebhookSecret();
  const headers = signWebhook(message, [secret]);
  assert.deepEqual(new Webhook(secret).verify(body, { ...headers }), JSON.parse(body));
});

test('what the published library signs, we verify', () => {
  const secret = newWebhookSecret();
  const signature = new Webhook(secret).sign('msg_2', new Date(now * 1000), body);
  const headers = { 'webhook-id': 'msg_2', 'webhook-timestamp': String(now), 'webhook-signature': signature };
  assert.equal(verifyWebhook({ headers, body: Buffer.from(body) }, [secret], now), 'valid');
});

test('while a secret is rotated, the old and the new one both verify', () => {
  const [old, fresh] = [newWebhookSecret(), newWebhookSecret()];
  const headers = signWebhook(message, [fresh, old]);
  for (const secret of [old, fresh]) {
    assert.equal(verifyWebhook({ headers: { ...headers }, body }, [secret], now), 'valid');
    assert.ok(new Webhook(secret).verify(body, { ...headers }));
  }
});

test('a long body is signed and verified like a short one, however it is cut into pieces', async () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()];
  const bytes = Buffer.alloc(3_000_000, 'Åsa');
  const pieces = [bytes.subarray(0, 7), bytes.subarray(7, 2_000_000), bytes.subarray(2_000_000)];
  const signed = await signLongWebhook({ ...message, body: pieces }, secrets);
  assert.deepEqual(signed, signWebhook({ ...message, body: bytes }, secrets));
  const headers = { ...signed };
  for (const secret of secrets) assert.equal(await verifyLongWebhook({ headers, body: bytes }, [secret], now), 'valid');
  assert.equal(await verifyLongWebhook({ headers, body: bytes }, [newWebhookSecret()], now), 'bad_signature');
  bytes[2_999_999] = 0;
  assert.equal(await verifyLongWebhook({ headers, body: bytes }, secrets, now), 'bad_signature');
});

test('a webhook that was altered on the way is refused', () => {
  const secret = newWebhookSecret();
  const headers = { ...signWebhook(message, [secret]) };
  const verdict = (changes: object, text = body, at = now) =>
    verifyWebhook({ headers: { ...headers, ...changes }, body: text }, [secret], at);
  assert.equal(verdict({}), 'valid');
  assert.equal(verdict({}, `${body} `), 'bad_signature');
  assert.equal(verdict({ 'webhook-id': 'msg_9' }), 'bad_signature');
  assert.equal(verdict({ 'webhook-timestamp': String(now - 1) }), 'bad_signature');
  assert.equal(verdict({ 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v2,') }), 'bad_signature');
  assert.equal(verdict({ 'webhook-signature': 'v1,' }), 'bad_signature');
  assert.equal(verdict({ 'webhook-signature': undefined }), 'missing_header');
  assert.equal(verdict({ 'webhook-timestamp': 'now' }), 'bad_timestamp');
  assert.equal(verdict({}, body, now + 301), 'bad_timestamp');
  assert.equal(verdict({}, body, now - 301), 'bad_timestamp');
  assert.equal(verifyWebhook({ headers, body }, [newWebhookSecret()], now), 'bad_signature');
  assert.equal(verifyWebhook({ headers, body }, [], now), 'bad_signature');
});
