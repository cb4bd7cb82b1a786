// What is kept of receivers' answers (D8): the first KiB, and of what was sent nothing, however it is quoted.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Agent } from 'undici';
import { type Answer, startReceiver } from '../testing/receiver.ts';
import { createSender } from './sender.ts';

const dispatcher = new Agent();
after(() => dispatcher.destroy());
const send = createSender({ dispatcher, timeoutMs: 1000 });
const token = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE';
const patient = { resourceType: 'Patient', name: [{ family: 'Öberg', given: ['Åsa'] }], birthDate: '1950-01-02' };
const body = JSON.stringify({ type: 'request.dispatched', data: { receipt_token: token, bundle: [patient] } });

async function answerKept(t: { after(cleanUp: () => Promise<void>): void }, answer: Answer): Promise<string> {
  const receiver = await startReceiver(t);
  receiver.answer(answer);
  const message = { url: receiver.url, headers: {}, body: Buffer.from(body), token };
  const result = await send(message, new AbortController().signal);
  assert.equal(result.kind, 'answered');
  return result.kind === 'answered' ? result.answer : '';
}

const say = (text: string) => (response: { end(text: string): void }) => response.end(text);

test('an echo of the body is left out, also when it is escaped', async (t) => {
  const html = body.replaceAll('"', '&quot;').replaceAll('Å', '&Aring;');
  const escaped = JSON.stringify({ error: 'cannot read', input: body });
  const ascii = JSON.stringify({ input: escaped }).replaceAll(/[^ -~]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
  for (const echo of [body, `<pre>${html}</pre>`, escaped, ascii, encodeURIComponent(body)]) {
    assert.equal(await answerKept(t, say(echo)), '[left out: it repeats the body]', echo);
  }
});

test('a token is left out, also when the cut at the first KiB goes through it', async (t) => {
  assert.equal(await answerKept(t, say(`thanks for ${token}!`)), 'thanks for [token]!');
  for (const shown of [42, 20, 6]) {
    const kept = await answerKept(t, say(`${'.'.repeat(1024 - shown)}${token}`));
    assert.equal(kept, `${'.'.repeat(1024 - shown)}[token]`);
  }
});

test('other answers are kept, no more than a KiB of them', async (t) => {
  assert.equal(await answerKept(t, say('{"status":"taken","at":"ward 3"}')), '{"status":"taken","at":"ward 3"}');
  assert.equal((await answerKept(t, say('x'.repeat(100_000)))).length, 1024);
});

test('what is ended while it waits for a connection is never sent', async (t) => {
  const receiver = await startReceiver(t);
  const responses: { end(): void }[] = [];
  receiver.answer((response) => responses.push(response), 204);
  const single = new Agent({ connections: 1, pipelining: 1 });
  t.after(() => single.destroy());
  const sendSingly = createSender({ dispatcher: single, timeoutMs: 60_000 });
  const message = { url: receiver.url, headers: {}, body: Buffer.from(body), token };
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

test('an answer that is broken off after its status counts as its status', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer((response) => {
    response.writeHead(200, { 'content-length': '100', 'retry-after': '7' });
    response.write('the beginning', () => response.destroy());
  });
  const message = { url: receiver.url, headers: {}, body: Buffer.from(body), token };
  const result = await send(message, new AbortController().signal);
  assert.deepEqual([result.kind, result.kind === 'answered' && result.status], ['answered', 200]);
});
