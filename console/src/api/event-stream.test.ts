// Events of a stream: whole ones are read, and what has begun waits for its rest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsIn } from './event-stream.ts';

test('events are read as they come, comments are none', () => {
  const first = eventsIn(
    'retry: 3000\n\n: still here\n\nid: a1\nevent: notification\ndata: {"n":\ndata: 1}\n\nid: a2\neve',
  );
  assert.deepEqual(first.events, [{ name: 'notification', data: '{"n":\n1}', id: 'a1' }]);
  assert.equal(first.rest, 'id: a2\neve');
  const second = eventsIn(`${first.rest}nt: end\r\ndata: {}\r\n\r\n`);
  assert.deepEqual(second, { events: [{ name: 'end', data: '{}', id: 'a2' }], rest: '' });
});
