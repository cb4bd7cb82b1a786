// The bytes of a file in pieces, compressed (`.gz`) or not.
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { unpacked } from '#lib/gzip/unpack.ts';

export interface Piece {
  /** The bytes, valid until the next piece. */
  readonly bytes: Buffer;
  /** The share of the file read so far, this piece included. */
  readonly share: number;
}

const PIECE_BYTES = 1 << 16;

/** @throws Error naming the file, when it cannot be opened or unpacked */
export async function* bytesOfFile(path: string): AsyncGenerator<Piece> {
  yield* path.toLowerCase().endsWith('.gz') ? unpackedFile(path) : plain(path);
}

/** Reads into one reused buffer: the buffers of a stream would leave tens of megabytes to the garbage collector. */
async function* plain(path: string): AsyncGenerator<Piece> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (let done = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES);
      if (bytesRead === 0) return;
      done += bytesRead;
      yield { bytes: buffer.subarray(0, bytesRead), share: done / Math.max(1, size) };
    }
  } finally {
    await handle.close();
  }
}

/** @throws Error naming the file, when it is not in the compressed form of its name, or is truncated */
async function* unpackedFile(path: string): AsyncGenerator<Piece> {
  const { size } = await stat(path);
  const raw = createReadStream(path);
  const pieces = unpacked(raw, { chunkSize: PIECE_BYTES });
  try {
    for await (const bytes of pieces) yield { bytes, share: raw.bytesRead / Math.max(1, size) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${path}: it cannot be unpacked as gzip: ${why}`, { cause: error });
  } finally {
    raw.destroy();
  }
}
