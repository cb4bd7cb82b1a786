import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32, gunzipSync, gzipSync } from 'node:zlib';
import { joinedCrc, joinMembers, packJoinable, WRAPPING_BYTES } from './joinable.ts';

const TEXTS = ['', 'a', 'öäå\n'.repeat(10_000), randomBytes(70_000).toString('base64'), '{}\n'].map((text) =>
  Buffer.from(text),
);

async function joined(members: readonly Buffer[]): Promise<Buffer> {
  const each = async function* () {
    yield* members;
  };
  return Buffer.concat(await Array.fromAsync(joinMembers(each())));
}

/** One member alone: a reader that stops after the first one must find everything. */
function unpackOnly(packed: Buffer): Buffer {
  const { buffer, engine } = gunzipSync(packed, { info: true }) as unknown as {
    readonly buffer: Buffer;
    readonly engine: { readonly bytesWritten: number };
  };
  assert.equal(engine.bytesWritten, packed.length);
  return buffer;
}

test('a packed text is a gzip member, as other programs read it', async () => {
  for (const text of TEXTS) assert.deepEqual(unpackOnly(await packJoinable(text)), text);
});

test('members join to one, whose length is known before', async () => {
  const members = await Promise.all(TEXTS.map((text) => packJoinable(text)));
  const all = await joined(members);
  assert.deepEqual(unpackOnly(all), Buffer.concat(TEXTS));
  const lengths = members.map(({ length }) => length - WRAPPING_BYTES);
  assert.equal(
    all.length,
    lengths.reduce((sum, length) => sum + length, WRAPPING_BYTES),
  );
  // One member: its header is nowhere else.
  assert.equal(all.indexOf(members[0]?.subarray(0, 10) ?? '', 1), -1);
});

test('checksums join, also where one text is empty', () => {
  for (const first of TEXTS) {
    for (const second of TEXTS) {
      assert.equal(joinedCrc(crc32(first), crc32(second), second.length), crc32(Buffer.concat([first, second])));
    }
  }
});

test('a member of another program is refused', async () => {
  await assert.rejects(joined([await packJoinable(Buffer.from('a')), gzipSync('b')]), /cannot be joined/);
});
