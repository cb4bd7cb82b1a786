// What is stored of receivers' responses (D8): the first KiB, without any echo of what was sent.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { Agent } from 'undici';
import { type Answer, startReceiver } from '../testing/receiver.ts';
import { dispatchedEnvelope, fillEnvelope } from './envelope.ts';
import { createSender } from './sender.ts';

const dispatcher = new Agent();
after(() => dispatcher.destroy());
const send = createSender({ dispatcher, timeoutMs: 1000 });
const token = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE';
const patient = { resourceType: 'Patient', name: [{ family: 'Öberg', given: ['Åsa'] }], birthDate: '1950-01-02' };
const body = JSON.stringify({ type: 'request.dispatched', data: { receipt_token: token, bundle: [patient] } });

const bodyOf = (text: string) => ({ pieces: [Buffer.from(text)], length: Buffer.byteLength(text) });

async function answerKept(t: { after(cleanUp: () => Promise<void>): void }, answer: Answer): Promise<string> {
  const receiver = await startReceiver(t);
  receiver.answer(answer);
  const message = { url: receiver.url, headers: {}, body: bodyOf(body), token };
  const result = await send(message, new AbortController().signal);
  assert.equal(result.kind, 'answered');
  return result.kind === 'answered' ? result.answer : '';
}

const say = (text: string) => (response: { end(text: string): void }) => response.end(text);

test('an echo of the body is removed, also when it is escaped', async (t) => {
  const html = body.replaceAll('"', '&quot;').replaceAll('Å', '&Aring;');
  const escaped = JSON.stringify({ error: 'cannot read', input: body });
  const ascii = JSON.stringify({ input: escaped }).replaceAll(/[^ -~]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
  for (const echo of [body, `<pre>${html}</pre>`, escaped, ascii, encodeURIComponent(body)]) {
    assert.equal(await answerKept(t, say(echo)), '[left out: it repeats the body]', echo);
  }
});

test('an echo of any part of a long body is removed, whatever the pieces of the body', async (t) => {
  const bundle = `{"text":"${Array.from({ length: 60_000 }, (_, at) => `nr ${at} \\u00e5 &amp; ä`).join()}"}`;
  const envelope = dispatchedEnvelope('https://d.example/api/v1', 'guid', 0);
  const filled = await fillEnvelope(envelope, { token, bundle });
  assert.ok(filled.pieces.length > 3);
  const whole = Buffer.concat(filled.pieces);
  assert.deepEqual([filled.length, filled.sha256], [whole.length, createHash('sha256').update(whole).digest()]);
  const receiver = await startReceiver(t);
  const message = { url: receiver.url, headers: {}, body: filled, token };
  const text = whole.toString();
  let at = 0;
  for (const piece of filled.pieces) {
    at += piece.toString().length;
    const echo = text.slice(Math.max(0, at - 350), at + 350);
    receiver.answer(say(`I got: ${echo}`));
    const result = await send(message, new AbortController().signal);
    assert.equal(result.kind === 'answered' && result.answer, '[left out: it repeats the body]', echo);
  }
  assert.equal(receiver.ledger.at(-1)?.body, text);
  receiver.answer(say('nothing of what was sent, though it is as long as a window of what is looked for'));
  const other = await send(message, new AbortController().signal);
  assert.match(String(other.kind === 'answered' && other.answer), /^nothing/);
});

test('a token is removed, also when the cut at the first KiB splits it', async (t) => {
  assert.equal(await answerKept(t, say(`thanks for ${token}!`)), 'thanks for [token]!');
  for (const shown of [42, 20, 6]) {
    const kept = await answerKept(t, say(`${'.'.repeat(1024 - shown)}${token}`));
    assert.equal(kept, `${'.'.repeat(1024 - shown)}[token]`);
  }
});

test('the first KiB of other responses is stored', async (t) => {
  assert.equal(await answerKept(t, say('{"status":"taken","at":"ward 3"}')), '{"status":"taken","at":"ward 3"}');
  assert.equal((await answerKept(t, say('x'.repeat(100_000)))).length, 1024);
});

test('a request that is aborted before it has a connection is never sent', async (t) => {
  const receiver = await startReceiver(t);
  const responses: { end(): void }[] = [];
  receiver.answer((response) => responses.push(response), 204);
  const single = new Agent({ connections: 1, pipelining: 1 });
  t.after(() => single.destroy());
  const sendSingly = createSender({ dispatcher: single, timeoutMs: 60_000 });
  const message = { url: receiver.url, headers: {}, body: bodyOf(body), token };
  const first = sendSingly(message, new AbortController().signal);
  await receiver.arrived(1);
  const stopping = new AbortController();
  const second = sendSingly(message, stopping.signal);
  stopping.abort();
  assert.deepEqual(await second, { kind: 'failed', error: 'interrupted' });
  assert.deepEqual(await sendSingly(message, stopping.signal), { kind: 'failed', error: 'interrupted' });
  responses[0]?.end();
  assert.equal((await first).kind, 'answered');
  assert.equal((await sendSingly(message, new AbortController().signal)).kind, 'answered');
  assert.equal(receiver.ledger.length, 2);
});

test('a response that breaks off after its status counts by its status', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer((response) => {
    response.writeHead(200, { 'content-length': '100', 'retry-after': '7' });
    response.write('the beginning', () => response.destroy());
  });
  const message = { url: receiver.url, headers: {}, body: bodyOf(body), token };
  const result = await send(message, new AbortController().signal);
  assert.deepEqual([result.kind, result.kind === 'answered' && result.status], ['answered', 200]);
});
