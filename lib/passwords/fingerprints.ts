// A set of texts as fingerprints of 40 bits: sorted, in a bucket for each of the first 16 bits, three bytes for the
// rest. So 500,000 texts take 1.7 MB and are read without being parsed. A text that is not among them is taken for one
// once in two million.
import { hash } from 'node:crypto';

const BUCKETS = 65_536;
const REST_BYTES = 3;
const COUNT_BYTES = 2;
const HEAD_BYTES = BUCKETS * COUNT_BYTES;

/**
 * The bytes of the set: the size of each bucket (16 bits, little-endian), then the rests of all fingerprints in order.
 */
export function packFingerprints(texts: Iterable<string>): Buffer {
  const prints = [...new Set(Array.from(texts, printOf))].sort((one, other) => one - other);
  const packed = Buffer.alloc(HEAD_BYTES + prints.length * REST_BYTES);
  for (const [index, print] of prints.entries()) {
    const place = bucketOf(print) * COUNT_BYTES;
    packed.writeUInt16LE(packed.readUInt16LE(place) + 1, place);
    packed.writeUIntBE(restOf(print), HEAD_BYTES + index * REST_BYTES, REST_BYTES);
  }
  return packed;
}

export interface FingerprintSet {
  readonly size: number;
  has(text: string): boolean;
}

/** @throws Error for bytes that `packFingerprints` has not made */
export function readFingerprints(packed: Buffer): FingerprintSet {
  const starts = new Uint32Array(BUCKETS + 1);
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    starts[bucket + 1] = (starts[bucket] ?? 0) + packed.readUInt16LE(bucket * COUNT_BYTES);
  }
  const size = starts[BUCKETS] ?? 0;
  if (packed.length !== HEAD_BYTES + size * REST_BYTES) throw new Error('The set of fingerprints is damaged');
  return {
    size,
    has(text) {
      const print = printOf(text);
      const [from = 0, to = 0] = starts.subarray(bucketOf(print), bucketOf(print) + 2);
      const rest = restOf(print);
      for (let index = from; index < to; index += 1) {
        if (packed.readUIntBE(HEAD_BYTES + index * REST_BYTES, REST_BYTES) === rest) return true;
      }
      return false;
    },
  };
}

/** The first 40 bits of SHA-256. */
function printOf(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, 10), 16);
}

function bucketOf(print: number): number {
  return Math.floor(print / 2 ** 24);
}

function restOf(print: number): number {
  return print % 2 ** 24;
}
