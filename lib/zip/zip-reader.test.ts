import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { makeZip } from './testing/make-zip.ts';
import { openZip } from './zip-reader.ts';

const folder = await temporaryDataDir();
after(() => rm(folder, { recursive: true, force: true }));

async function read(name: string, bytes: Buffer): Promise<Record<string, string>> {
  const place = path.join(folder, name);
  await writeFile(place, bytes);
  const zip = await openZip(place);
  try {
    const found: Record<string, string> = {};
    for (const entry of zip.entries) {
      const pieces: Buffer[] = [];
      for await (const piece of zip.read(entry.name)) pieces.push(Buffer.from(piece));
      found[entry.name] = Buffer.concat(pieces).toString();
    }
    return found;
  } finally {
    await zip.close();
  }
}

const files = { 'a/b.txt': 'Ö'.repeat(200_000), 'empty.txt': '', 'c.txt': 'c' };

test('files are read as they were packed or stored', async () => {
  assert.deepEqual(await read('packed.zip', makeZip(files)), files);
  assert.deepEqual(await read('stored.zip', makeZip(files, { isPacked: false })), files);
  assert.deepEqual(await read('none.zip', makeZip({})), {});
});

test('an archive of another program, in ZIP64 and with folders, is read', { skip: !hasPython() }, async () => {
  const script = `
import zipfile, sys
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:
    z.writestr('f/', '')
    with z.open('f/big.txt', 'w', force_zip64=True) as f: f.write(b'big')
    z.comment = b'PK\\x05\\x06 no end'
`;
  const place = path.join(folder, 'python.zip');
  execFileSync('python3', ['-c', script, place]);
  const zip = await openZip(place);
  assert.deepEqual(
    zip.entries.map(({ name, bytes }) => [name, bytes]),
    [['f/big.txt', 3]],
  );
  await zip.close();
});

test('what is no archive, breaks off, or has more than it says is refused', async () => {
  const whole = makeZip({ 'a.txt': 'a'.repeat(1_000) });
  await assert.rejects(read('text.zip', Buffer.from('no archive')), /it is no ZIP archive/);
  await assert.rejects(read('cut.zip', whole.subarray(0, whole.length - 30)), /it is no ZIP archive/);
  await assert.rejects(
    read('more.zip', makeZip({ 'a.txt': 'aaaa' }, { statedBytes: 2 })),
    /too many bytes in the stream/,
  );
  await assert.rejects(
    read('less.zip', makeZip({ 'a.txt': 'aaaa' }, { statedBytes: 9 })),
    /not enough bytes in the stream/,
  );
  const damaged = Buffer.from(whole);
  damaged.fill(0xff, 40, 45);
  await assert.rejects(read('damaged.zip', damaged));
});

test('a bomb is ended at the size that the list of files says, and too many files are refused', async () => {
  const place = path.join(folder, 'bomb.zip');
  await writeFile(place, makeZip({ 'a.txt': 'a'.repeat(50_000_000) }, { statedBytes: 1_000 }));
  const zip = await openZip(place);
  let unpacked = 0;
  await assert.rejects(async () => {
    for await (const piece of zip.read('a.txt')) unpacked += piece.length;
  }, /too many bytes/);
  assert.ok(unpacked <= 1_000, `${unpacked} bytes`);
  await zip.close();
  const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`${index}.txt`, '']));
  await assert.rejects(read('many.zip', makeZip(many)), /more than 20000 files/);
});

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version']);
    return true;
  } catch {
    return false;
  }
}
