// A request that is sent twice under one key gets the answer of the first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered } from './under-way.ts';

const UNDER_WAY = () => new Response('{}', { status: 409, headers: { 'retry-after': '1' } });

/** What is answered, with the bodies that were sent. */
async function ask(request: Request, answers: readonly (() => Response)[]) {
  const sent: string[] = [];
  let pauses = 0;
  const send = async (each: Request) => {
    sent.push(await each.text());
    return (answers[sent.length - 1] ?? UNDER_WAY)();
  };
  const { status } = await answered(request, send, async () => {
    pauses += 1;
  });
  return { status, sent, pauses };
}

const post = (headers: Record<string, string>) =>
  new Request('http://localhost/things', { method: 'POST', headers, body: '{"a":1}' });

test('while the first is being processed the same is asked again, with its body', async () => {
  const made = () => new Response('{}', { status: 201 });
  const answers = [UNDER_WAY, UNDER_WAY, made];
  assert.deepEqual(await ask(post({ 'idempotency-key': 'k' }), answers), {
    status: 201,
    sent: ['{"a":1}', '{"a":1}', '{"a":1}'],
    pauses: 2,
  });
});

test('a conflict is told at once, without a key always, and the asking ends', async () => {
  const conflict = () => new Response('{}', { status: 409 });
  assert.equal((await ask(post({ 'idempotency-key': 'k' }), [conflict])).sent.length, 1);
  assert.equal((await ask(post({}), [UNDER_WAY])).sent.length, 1);
  const { status, sent } = await ask(post({ 'idempotency-key': 'k' }), []);
  assert.deepEqual([status, sent.length], [409, 60]);
});
