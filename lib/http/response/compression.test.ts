// Compression of responses: for which clients and contents, and that they decompress to the same.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { makeTestApp } from '#test/support/http-app.ts';
import { chooseEncoding } from './compression.ts';

const LONG = JSON.stringify({ names: Array.from({ length: 2000 }, (_, place) => `Åsa ${place}`) });
const LINES = Array.from({ length: 3000 }, (_, place) => `{"resourceType":"Basic","id":"${place}"}\n`);

const app = await makeTestApp();
const route = { config: { permission: 'public' } } as const;
app.get('/text', route, async (_request, reply) => reply.type('application/fhir+json; charset=utf-8').send(LONG));
app.get('/bytes', route, async (_request, reply) => reply.type('application/json').send(Buffer.from(LONG)));
app.get('/short', route, async (_request, reply) => reply.type('application/json').send('{"a":1}'));
app.get('/page', route, async (_request, reply) => reply.type('text/html').send(LONG));
app.get('/packed', route, async (_request, reply) =>
  reply.type('application/json').header('content-encoding', 'gzip').send(Buffer.alloc(20_000)),
);
app.get('/part', route, async (_request, reply) =>
  reply.code(206).type('application/fhir+ndjson').header('content-range', 'bytes 0-9/20').send(LONG),
);
app.get('/lines', route, async (_request, reply) =>
  reply
    .type('application/fhir+ndjson')
    .header('accept-ranges', 'bytes')
    .header('content-length', String(LINES.join('').length))
    .send(Readable.from(LINES)),
);
app.get('/broken', route, async (_request, reply) => {
  const broken = async function* () {
    yield* LINES;
    throw new Error('The database is gone');
  };
  return reply.type('application/fhir+ndjson').header('content-length', '200000').send(Readable.from(broken()));
});
app.post('/made', { config: { permission: 'public', idempotent: true } }, async (_request, reply) =>
  reply.type('application/json').send(LONG),
);

const get = (url: string, encoding?: string) =>
  app.inject({ url, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } });

test('large texts, bytes and streams arrive as they were, by either encoding', async () => {
  for (const [url, whole] of [
    ['/text', LONG],
    ['/bytes', LONG],
    ['/lines', LINES.join('')],
  ] as const) {
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers, rawPayload } = await get(url, `${encoding}, deflate`);
      assert.deepEqual([headers['content-encoding'], headers.vary], [encoding, 'Accept-Encoding']);
      assert.equal(unpack(rawPayload).toString(), whole);
      assert.ok(rawPayload.length < whole.length / 2);
      assert.ok([undefined, String(rawPayload.length)].includes(headers['content-length'] as string | undefined));
    }
    const plain = await get(url);
    assert.deepEqual([plain.payload, plain.headers['content-encoding']], [whole, undefined]);
    assert.equal(plain.headers.vary, 'Accept-Encoding');
  }
});

test('a packed file offers no ranges, and a part of one is not packed', async () => {
  assert.equal((await get('/lines', 'gzip')).headers['accept-ranges'], 'none');
  assert.equal((await get('/lines')).headers['accept-ranges'], 'bytes');
  assert.equal((await get('/part', 'gzip')).headers['content-encoding'], undefined);
});

test('short responses, pages, compressed content and responses for an Idempotency-Key are not compressed', async () => {
  for (const url of ['/short', '/page'])
    assert.equal((await get(url, 'br, gzip')).headers['content-encoding'], undefined);
  assert.equal((await get('/short', 'br, gzip')).headers.vary, undefined);
  assert.equal((await get('/packed', 'br, gzip')).rawPayload.length, 20_000);
  const made = (headers: object) =>
    app.inject({ method: 'POST', url: '/made', headers: { 'accept-encoding': 'br', ...headers } });
  assert.equal((await made({})).headers['content-encoding'], 'br');
  assert.equal((await made({ 'idempotency-key': 'k' })).payload, LONG);
});

test('a stream that breaks off gives no complete response', async () => {
  await assert.rejects(get('/broken', 'gzip'));
});

test('the encoding with the highest weight is chosen', () => {
  const cases = [
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0.5, br;q=0', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['deflate, zstd', undefined],
    ['GZIP ; Q=0.5', 'gzip'],
    ['br;q=much', undefined],
  ] as const;
  for (const [header, encoding] of cases) assert.equal(chooseEncoding(header), encoding, String(header));
});

test('Vary names each header once, also when a service has sent it before the gateway', async () => {
  const passed = await makeTestApp();
  passed.get('/passed', route, async (_request, reply) =>
    reply.type('application/json').header('vary', 'Origin, Accept-Encoding').send(LONG),
  );
  assert.equal((await passed.inject('/passed')).headers.vary, 'Origin, Accept-Encoding');
});
