// Keys of requests: the same for what is sent again, and another one for what is another request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../api/problem.ts';
import { UnreachableError } from '../api/session.ts';
import { createRequestKey, type SentPlace } from './request-key.ts';

const problem = (status: number) => new Problem(new Response(null, { status }), {});

test('after a lost connection, and while a server is busy, the same body has the same key', () => {
  const key = createRequestKey();
  const first = key.of({ name: 'a' });
  for (const error of [new UnreachableError(new Error('offline')), problem(503), problem(429)]) {
    key.settled(error);
    assert.equal(key.of({ name: 'a' }), first);
  }
});

test('a request that is being processed keeps its key, and one with an outcome that nobody has does not', () => {
  const key = createRequestKey();
  const first = key.of({ name: 'a' });
  key.settled(new Problem(new Response(null, { status: 409, headers: { 'retry-after': '1' } }), {}));
  assert.equal(key.of({ name: 'a' }), first);
  key.settled(problem(409));
  assert.notEqual(key.of({ name: 'a' }), first);
});

test('a page that is loaded again has the key of what it had sent', () => {
  let kept: ReturnType<SentPlace['read']>;
  const place: SentPlace = {
    read: () => kept,
    write: (sent) => {
      kept = sent;
    },
  };
  const first = createRequestKey(place).of({ name: 'a' });
  const reloaded = createRequestKey(place);
  assert.equal(reloaded.of({ name: 'a' }), first);
  assert.notEqual(createRequestKey(place).of({ name: 'b' }), first);
  reloaded.settled(null);
  assert.equal(kept, undefined);
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
