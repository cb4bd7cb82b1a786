// Keys of requests: the same for what is sent again, and another one for what is another request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../api/problem.ts';
import { UnreachableError } from '../api/session.ts';
import { createRequestKey } from './request-key.ts';

const problem = (status: number) => new Problem(new Response(null, { status }), {});

test('after a lost connection, and while a server is busy, the same body has the same key', () => {
  const key = createRequestKey();
  const first = key.of({ name: 'a' });
  for (const error of [new UnreachableError(new Error('offline')), problem(503), problem(429)]) {
    key.settled(error);
    assert.equal(key.of({ name: 'a' }), first);
  }
});

test('another body has another key', () => {
  const key = createRequestKey();
  const first = key.of({ name: 'a' });
  key.settled(new UnreachableError(new Error('offline')));
  assert.notEqual(key.of({ name: 'b' }), first);
});

test('what was done or refused is another request the next time', () => {
  for (const outcome of [null, problem(422)]) {
    const key = createRequestKey();
    const first = key.of({ name: 'a' });
    key.settled(outcome);
    assert.notEqual(key.of({ name: 'a' }), first);
  }
});
