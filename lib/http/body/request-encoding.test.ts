// Compressed bodies over a socket: what they unpack to is what was sent, within the limits of the address, and a
// refusal is an answer.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { makeTestApp } from '#test/support/http-app.ts';

/** The best compression, which is the default, takes seconds. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const LIMIT = 8 * 1024 * 1024;
const app = await makeTestApp({});
app.post('/things', { config: { permission: 'public', openBodyLimit: LIMIT }, bodyLimit: LIMIT }, async (request) => ({
  length: JSON.stringify(request.body).length,
}));
const address = await app.listen({ host: '127.0.0.1', port: 0 });
after(() => app.close());

async function send(
  body: Buffer,
  encoding: string,
): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> {
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
  const answer = await fetch(`${address}/things`, { method: 'POST', headers, body: new Uint8Array(body) });
  return { status: answer.status, body: JSON.parse(await answer.text()), headers: answer.headers };
}

/** Text that packs to about a third. */
function thing(length: number): string {
  let text = '';
  for (let n = 0; text.length < length; n += 1) text += `${(n * 2654435761) % 4294967296} `;
  return JSON.stringify({ text: text.slice(0, length) });
}

test('gzip, deflate and Brotli are unpacked, large and small', async () => {
  for (const text of [thing(10), thing(3_000_000)]) {
    for (const [encoding, packed] of [
      ['gzip', gzipSync(text)],
      ['X-GZIP', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text, QUICKLY)],
      ['identity', Buffer.from(text)],
    ] as const) {
      const { status, body } = await send(packed, encoding);
      assert.deepEqual([status, body['length']], [200, text.length], encoding);
    }
  }
});

test('a body that decompresses beyond the limit of the route or the ratio is 413, and the next request is served', async () => {
  const large = await send(gzipSync(thing(LIMIT + 1000)), 'gzip');
  assert.deepEqual([large.status, large.body['error']], [413, 'payload_too_large']);
  const bomb = await send(gzipSync(JSON.stringify({ text: 'x'.repeat(6_000_000) })), 'gzip');
  assert.equal(bomb.status, 413);
  assert.match(String(bomb.body['message']), /200 times/);
  const small = JSON.stringify({ text: 'x'.repeat(900_000) });
  assert.equal((await send(gzipSync(small), 'gzip')).status, 200);
});

test('a body that does not match its Content-Encoding is 400, an unknown encoding 415', async () => {
  const packed = gzipSync(thing(5000));
  for (const body of [Buffer.from('{}'), packed.subarray(0, packed.length - 9), Buffer.from([])]) {
    const { status, body: answered } = await send(body, 'gzip');
    assert.equal(status, 400, JSON.stringify(answered));
  }
  for (const encoding of ['zstd', 'gzip, gzip']) {
    const { status, headers } = await send(packed, encoding);
    assert.deepEqual([status, headers.get('accept-encoding')], [415, 'gzip, deflate, br, identity']);
  }
});
