// UUIDv7 identifiers (RFC 9562 §5.7): what every `*_guid` and every id that Kedja assigns is made of (decision G1).
import { randomFillSync } from 'node:crypto';

const GUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const pool = new Uint8Array(4096);
let poolOffset = pool.length;
let lastMillis = 0;
let sequence = 0;

/**
 * Makes a lower-case UUIDv7. Values made by one process are strictly increasing: 12 bits of counter follow the
 * millisecond (RFC 9562 §6.2, method 1), so that index pages fill in order.
 */
export function newGuid(now: number = Date.now()): string {
  if (now > lastMillis) {
    lastMillis = now;
    sequence = 0;
  } else if (sequence < 0xfff) {
    sequence += 1;
  } else {
    lastMillis += 1;
    sequence = 0;
  }
  const time = lastMillis.toString(16).padStart(12, '0');
  const counter = sequence.toString(16).padStart(3, '0');
  const random = takeRandomHex();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${random.slice(0, 4)}-${random.slice(4)}`;
}

/** Whether the text is a lower-case UUID of any version. */
export function isGuid(text: string): boolean {
  return GUID_PATTERN.test(text);
}

/** Eight random bytes in hex, the first two bits set to the RFC's variant. */
function takeRandomHex(): string {
  if (poolOffset + 8 > pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const bytes = pool.subarray(poolOffset, poolOffset + 8);
  poolOffset += 8;
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x80;
  return Buffer.from(bytes).toString('hex');
}
