// The outer form of a backup file (docs/adr/0117): a header, then frames that are each checked before their bytes are
// used. With a key they are sealed by AES-256-GCM, without one they have digests. The number of a frame and whether it
// is the last are part of the check. A file that was cut short, or whose frames were moved, is refused.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { ByteQueue } from './byte-queue.ts';

const MAGIC = Buffer.from('KEDJABK1');
const FRAME_BYTES = 256 * 1024;
const MAX_FRAME_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const LAST = 0x8000_0000;
const ALGORITHM = 'aes-256-gcm';

const Header = Type.Object({
  release: Type.String({ maxLength: 100 }),
  created_at: Type.String({ maxLength: 40 }),
  compression: Type.Literal('zstd'),
  /** Salt and check in base64; the check distinguishes a wrong key from a damaged file. Null without a key. */
  encryption: Type.Union([
    Type.Null(),
    Type.Object({ algorithm: Type.Literal(ALGORITHM), salt: Type.String(), check: Type.String() }),
  ]),
});
export type Header = Static<typeof Header>;

/** Seals or checks one frame; `context` is its number, whether it is the last, and the digest of the header. */
interface Guard {
  seal(payload: Uint8Array, nonce: Buffer, context: Buffer): Buffer;
  /** @throws Error when the frame is not what was written */
  open(payload: Buffer, nonce: Buffer, context: Buffer): Buffer;
}

/** The bytes of a file, made of a stream of bytes. `key` has 32 bytes. */
export async function* sealFrames(
  plain: AsyncIterable<Buffer>,
  facts: Pick<Header, 'release' | 'created_at'>,
  key?: Uint8Array,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(16);
  const keys = key === undefined ? undefined : deriveKeys(key, salt);
  const encryption =
    keys === undefined
      ? null
      : { algorithm: 'aes-256-gcm' as const, salt: salt.toString('base64'), check: keys.check.toString('base64') };
  const header = Buffer.from(JSON.stringify({ ...facts, compression: 'zstd', encryption } satisfies Header));
  yield Buffer.concat([MAGIC, number32(header.length), header]);
  const guard = keys === undefined ? digestGuard : cipherGuard(keys.frames);
  const digest = sha256(header);
  const waiting = new ByteQueue();
  let number = 0;
  const frame = (payload: Buffer, isLast: boolean) => {
    const { nonce, context } = place(number, isLast, digest);
    number += 1;
    return Buffer.concat([number32(payload.length + (isLast ? LAST : 0)), guard.seal(payload, nonce, context)]);
  };
  for await (const bytes of plain) {
    waiting.add(bytes);
    while (waiting.length > FRAME_BYTES) yield frame(waiting.take(FRAME_BYTES), false);
  }
  yield frame(waiting.take(waiting.length), true);
}

export interface OpenedFrames {
  readonly header: Header;
  /** The bytes that were sealed. @throws Error in words for a damaged or incomplete file */
  readonly plain: AsyncGenerator<Buffer>;
}

/** Reads a file. @throws Error in words for a file that is no backup, or whose key is missing or another one */
export async function openFrames(file: AsyncIterable<Uint8Array>, key?: Uint8Array): Promise<OpenedFrames> {
  const source = file[Symbol.asyncIterator]();
  const waiting = new ByteQueue();
  const need = async (length: number) => {
    while (waiting.length < length) {
      const { done, value } = await source.next();
      if (done === true) return undefined;
      waiting.add(value);
    }
    return waiting.take(length);
  };
  const start = await need(MAGIC.length + 4);
  if (start === undefined || !start.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new Error('The file is no backup of Kedja, or one of a later form');
  }
  const length = start.readUInt32BE(MAGIC.length);
  const header = length > MAX_HEADER_BYTES ? undefined : await need(length);
  if (header === undefined) throw new Error('The file is damaged: its header is not complete');
  const facts = parseHeader(header);
  return { header: facts, plain: closing(openAll(need, guardOf(facts, key), sha256(header)), source) };
}

/** Passes on what is read, and closes the file when the reader ends. */
async function* closing(plain: AsyncIterable<Buffer>, source: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  try {
    yield* plain;
  } finally {
    await source.return?.();
  }
}

async function* openAll(
  need: (length: number) => Promise<Buffer | undefined>,
  guard: Guard,
  digest: Buffer,
): AsyncGenerator<Buffer> {
  for (let number = 0; ; number += 1) {
    const size = (await need(4))?.readUInt32BE(0);
    if (size === undefined) throw new Error(`The file is not complete: it ends after part ${number}`);
    const isLast = size >= LAST;
    const length = isLast ? size - LAST : size;
    if (length > MAX_FRAME_BYTES) throw new Error(`The file is damaged in part ${number + 1}: nothing of it is used`);
    const payload = await need(length + TAG_BYTES);
    if (payload === undefined) throw new Error(`The file is not complete: it ends within part ${number + 1}`);
    const { nonce, context } = place(number, isLast, digest);
    let plain: Buffer;
    try {
      plain = guard.open(payload, nonce, context);
    } catch (error) {
      throw new Error(`The file is damaged in part ${number + 1}`, { cause: error });
    }
    if (isLast && (await need(1)) !== undefined) throw new Error('The file is damaged: it goes on after its end');
    yield plain;
    if (isLast) return;
  }
}

function parseHeader(header: Buffer): Header {
  try {
    return Value.Parse(Header, JSON.parse(header.toString('utf8')));
  } catch (error) {
    throw new Error('The file is damaged, or of a later release: its header cannot be read', { cause: error });
  }
}

function guardOf({ encryption }: Header, key: Uint8Array | undefined): Guard {
  if (encryption === null) return digestGuard;
  if (key === undefined) throw new Error('The backup is encrypted: set KEDJA_BACKUP_KEY or KEDJA_BACKUP_KEY_FILE');
  const keys = deriveKeys(key, Buffer.from(encryption.salt, 'base64'));
  const check = Buffer.from(encryption.check, 'base64');
  if (check.length !== keys.check.length || !timingSafeEqual(check, keys.check)) {
    throw new Error('KEDJA_BACKUP_KEY is not the key of this backup');
  }
  return cipherGuard(keys.frames);
}

/** Each file has a key of its own, so that numbers of frames may be nonces. */
function deriveKeys(key: Uint8Array, salt: Buffer): { frames: Buffer; check: Buffer } {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', key, salt, `kedja backup ${use}`, 32));
  return { frames: derive('frames'), check: derive('check') };
}

function cipherGuard(key: Buffer): Guard {
  return {
    seal(payload, nonce, context) {
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(context);
      return Buffer.concat([cipher.update(payload), cipher.final(), cipher.getAuthTag()]);
    },
    open(payload, nonce, context) {
      const decipher = createDecipheriv(ALGORITHM, key, nonce).setAAD(context);
      decipher.setAuthTag(payload.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()]);
    },
  };
}

/** Finds damage by chance; who changes a file on purpose can compute the digests again. */
const digestGuard: Guard = {
  seal: (payload, _nonce, context) => Buffer.concat([payload, sha256(context, payload).subarray(0, TAG_BYTES)]),
  open(payload, _nonce, context) {
    const plain = payload.subarray(0, -TAG_BYTES);
    const digest = sha256(context, plain).subarray(0, TAG_BYTES);
    if (!digest.equals(payload.subarray(-TAG_BYTES))) throw new Error('the digest differs');
    return plain;
  },
};

function place(number: number, isLast: boolean, digest: Buffer): { nonce: Buffer; context: Buffer } {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(number), 4);
  return { nonce, context: Buffer.concat([nonce, Buffer.from([isLast ? 1 : 0]), digest]) };
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
