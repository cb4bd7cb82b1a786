import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { createGzip, gzipSync } from 'node:zlib';
import { unpacked } from './unpack.ts';

const MIB = 1024 * 1024;

test('gzip data is decompressed, in whatever pieces it comes, also of several members', async () => {
  const text = randomBytes(3 * MIB);
  const packed = Buffer.concat([gzipSync(text.subarray(0, MIB)), gzipSync(text.subarray(MIB))]);
  const pieces = Array.from({ length: Math.ceil(packed.length / 1000) }, (_, n) =>
    packed.subarray(n * 1000, n * 1000 + 1000),
  );
  assert.deepEqual(await buffer(Readable.from(unpacked(Readable.from(pieces)))), text);
});

test('small data with a high ratio is accepted, and large data with the ratio of resources', async () => {
  const small = gzipSync(Buffer.alloc(16 * MIB));
  assert.equal((await buffer(Readable.from(unpacked(Readable.from([small]))))).length, 16 * MIB);
  const lines = Array.from(
    { length: 300_000 },
    (_, n) => `{"resourceType":"Patient","id":"p${n}","birthDate":"19${n % 90}-01-01"}\n`,
  );
  const text = lines.join('').repeat(2);
  assert.ok(text.length > 30 * MIB);
  assert.equal((await buffer(Readable.from(unpacked(Readable.from([gzipSync(text)]))))).length, text.length);
});

test('a decompression bomb is refused early, and its sender still gets a response', async () => {
  const packing = createGzip({ level: 9 });
  // Half a gibibyte of blanks, made as it is read.
  const blanks = Buffer.alloc(MIB, ' ');
  Readable.from(Array.from({ length: 512 }, () => blanks)).pipe(packing);
  const source = packing.pipe(new PassThrough());
  let read = 0;
  const reading = (async () => {
    for await (const piece of unpacked(source)) read += piece.length;
  })();
  await assert.rejects(reading, { code: 'payload_too_large', message: /more than 100 times its size/ });
  assert.ok(read <= 17 * MIB, `${read}`);
  assert.equal(source.destroyed, false);
  source.destroy();
});

test('data that is no gzip, is cut off, or whose sender disconnects is an error', async () => {
  const packed = gzipSync('a text that is long enough to be cut');
  for (const bytes of [Buffer.from('no gzip'), packed.subarray(0, 20)]) {
    await assert.rejects(buffer(Readable.from(unpacked(Readable.from([bytes])))));
  }
  const gone = new PassThrough();
  gone.write(packed.subarray(0, 20));
  const reading = buffer(Readable.from(unpacked(gone)));
  setImmediate(() => gone.destroy());
  await assert.rejects(reading, /break off/);
});
