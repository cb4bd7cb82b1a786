// A file of compressed text blocks with random access: the number of blocks, the length of each in bytes (32 bits,
// little-endian), then the blocks.
import { brotliDecompressSync } from 'node:zlib';

const NUMBER_BYTES = 4;

export function packBlocks(blocks: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(NUMBER_BYTES * (blocks.length + 1));
  head.writeUInt32LE(blocks.length, 0);
  for (const [number, { length }] of blocks.entries()) head.writeUInt32LE(length, NUMBER_BYTES * (number + 1));
  return Buffer.concat([head, ...blocks]);
}

/** The text of a block; undefined for an index beyond the last. */
export function unpackBlock(bytes: Buffer, number: number): string | undefined {
  const count = bytes.readUInt32LE(0);
  if (number >= count) return undefined;
  let start = NUMBER_BYTES * (count + 1);
  for (let each = 0; each < number; each += 1) start += bytes.readUInt32LE(NUMBER_BYTES * (each + 1));
  const length = bytes.readUInt32LE(NUMBER_BYTES * (number + 1));
  return brotliDecompressSync(bytes.subarray(start, start + length)).toString('utf8');
}
