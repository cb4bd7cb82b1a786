import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listen } from './listen.ts';

const ADDRESS = 'http://localhost/stream';

/** The events that are told while the connections send these texts, one after the other, and what was asked for. */
async function told(t: TestContext, texts: readonly string[]) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const end = new AbortController();
  const asked: string[] = [];
  const counts: number[] = [];
  let count = 0;
  const fetch = async ({ url }: Request) => {
    asked.push(new URL(url).search);
    counts.push(count);
    const text = texts[asked.length - 1];
    if (text === undefined) end.abort();
    return new Response(text ?? '', { status: 200 });
  };
  const onEvent = () => {
    count += 1;
  };
  // The pauses between two connections.
  const pauses = setInterval(() => t.mock.timers.runAll(), 1);
  await listen(ADDRESS, { onEvent, fetch }, end.signal);
  clearInterval(pauses);
  return { asked, counts: counts.slice(1), count };
}

test('a connection that follows one without an event counts as one: what happened between is not told', async (t) => {
  const { asked, counts } = await told(t, ['retry: 3000\n\n', '', '']);
  assert.deepEqual(asked, ['', '', '', '']);
  assert.deepEqual(counts, [0, 1, 2]);
});

test('a connection that continues from an event tells what has happened since', async (t) => {
  const { asked, counts } = await told(t, ['event: change\nid: 7\ndata: {}\n\n', 'event: change\nid: 8\ndata: {}\n\n']);
  assert.deepEqual(asked, ['', '?last_event_id=7', '?last_event_id=8']);
  assert.deepEqual(counts, [1, 2]);
});
