// Long answers in pieces: what arrives is the same text, compressed or not, and with a length.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import Fastify from 'fastify';
import { compressResponses } from '#lib/http/response/compression.ts';
import { createTextBuilder, lengthOfText, sendPieces } from './response-text.ts';

const app = Fastify();
after(() => app.close());
const resource = `{"text":"${'łx'.repeat(300_000)}"}`;

function built() {
  const text = createTextBuilder();
  text.add('[');
  text.add(resource);
  text.add(['', ',', resource, ',1]']);
  return text.end();
}

app.get('/', (request, reply) => {
  const pieces = built();
  assert.ok(typeof pieces !== 'string');
  void sendPieces(request, reply, { contentType: 'application/fhir+json', pieces });
});

test('a short text is one, a long one stays in pieces that hold it in order', () => {
  const short = createTextBuilder();
  for (const each of ['a', 'b', 'c']) short.add(each);
  assert.equal(short.end(), 'abc');
  const long = built();
  assert.ok(typeof long !== 'string' && long.includes(resource), 'a long text is not copied');
  assert.equal(long.join(''), `[${resource},${resource},1]`);
  assert.equal(lengthOfText(long), long.join('').length);
});

test('what is sent in pieces arrives as one text, with its length, and whole where it is kept for a repeat', async () => {
  const expected = `[${resource},${resource},1]`;
  for (const headers of [{}, { 'idempotency-key': 'a' }]) {
    const response = await app.inject({ url: '/', headers });
    assert.equal(response.body, expected);
    assert.equal(response.headers['content-length'], String(Buffer.byteLength(expected)));
    assert.match(String(response.headers['content-type']), /^application\/fhir\+json/);
  }
});

test('it is compressed for clients that take it', async () => {
  const packing = Fastify();
  after(() => packing.close());
  compressResponses(packing as unknown as Parameters<typeof compressResponses>[0]);
  packing.get('/', (request, reply) => {
    const pieces = built();
    if (typeof pieces !== 'string') void sendPieces(request, reply, { contentType: 'application/fhir+json', pieces });
  });
  const response = await packing.inject({ url: '/', headers: { 'accept-encoding': 'br' } });
  assert.equal(response.headers['content-encoding'], 'br');
  assert.equal(brotliDecompressSync(response.rawPayload).toString(), `[${resource},${resource},1]`);
});
