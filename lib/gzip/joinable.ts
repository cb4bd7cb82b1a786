// gzip (RFC 1952) of texts that are packed apart and sent together as one gzip stream. Each packed text is a complete
// gzip member. Its deflate data ends at a byte, so the data of several members can be joined: nothing is unpacked, and
// the checksum of the whole follows from those of the members.
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);

/**
 * The header of our members: deflate, no name, fastest. The time, one second after 1970, marks a member that can be
 * joined.
 */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 1, 0, 0, 0, 4, 255]);
/** An empty last block, which ends the deflate data. */
const END = Buffer.from([3, 0]);
const TRAILER_BYTES = 8;
/** What a member holds beside its deflate data. */
export const WRAPPING_BYTES = HEADER.length + END.length + TRAILER_BYTES;
/** As the beginning of members in an SQL condition, in hexadecimal digits. */
export const JOINABLE_HEADER = HEADER.toString('hex');

/** Packs the content off the event loop, for the least processor time. */
export async function packJoinable(content: Buffer): Promise<Buffer> {
  const data = await deflate(content, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });
  return Buffer.concat([HEADER, data, END, trailerOf(crc32(content), content.length)]);
}

/** Joins members of {@link packJoinable} to one. @throws Error for another one */
export async function* joinMembers(members: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield HEADER;
  let [crc, length] = [0, 0];
  for await (const member of members) {
    if (!member.subarray(0, HEADER.length).equals(HEADER)) throw new Error('A gzip member that cannot be joined');
    const trailer = member.length - TRAILER_BYTES;
    const ownLength = member.readUInt32LE(trailer + 4);
    crc = joinedCrc(crc, member.readUInt32LE(trailer), ownLength);
    length += ownLength;
    yield member.subarray(HEADER.length, trailer - END.length);
  }
  yield Buffer.concat([END, trailerOf(crc, length)]);
}

/** @param length of the unpacked bytes; kept modulo 2^32 */
function trailerOf(crc: number, length: number): Buffer {
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(crc >>> 0, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  return trailer;
}

/**
 * The CRC-32 of two texts, one after the other, from that of each. Bits are coefficients of polynomials over GF(2), the
 * highest bit that of x^0. The first text's checksum is multiplied by x for each bit of the second.
 */
export function joinedCrc(first: number, second: number, secondLength: number): number {
  let shift = 0x80000000;
  for (let [bits, power] = [secondLength * 8, 0]; bits > 0; bits = Math.floor(bits / 2), power += 1) {
    if (bits % 2 === 1) shift = times(powerOf(power), shift);
  }
  return (times(shift, first) ^ second) >>> 0;
}

/** x^(2^n). */
function powerOf(n: number): number {
  // x^1 first; each further one is the square of the one before.
  for (let next = POWERS.length; next <= n; next += 1) {
    const last = POWERS[next - 1] ?? 0;
    POWERS.push(times(last, last));
  }
  return POWERS[n] ?? 0;
}
const POWERS = [0x40000000];

/** CRC-32's polynomial. */
const POLYNOMIAL = 0xedb88320;

/** The product of two polynomials modulo that of CRC-32. */
function times(one: number, other: number): number {
  let product = 0;
  let shifted = other;
  for (let bit = 31; bit >= 0; bit -= 1) {
    if (((one >>> bit) & 1) === 1) product ^= shifted;
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product >>> 0;
}
