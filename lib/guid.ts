// UUIDv7 identifiers (RFC 9562 §5.7) for every `*_guid` and every id that Kedja assigns (decision G1).
import { randomHex } from './random-pool.ts';

const GUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const VARIANTS = '89ab';

let lastMillis = 0;
let sequence = 0;
let timeText = '';

/**
 * Makes a lower-case UUIDv7. Values made by one process are strictly increasing. 12 bits of counter follow the
 * millisecond (RFC 9562 §6.2, method 1), so index pages fill in order.
 */
export function newGuid(now: number = Date.now()): string {
  if (now > lastMillis) startMillisecond(now);
  else if (sequence < 0xfff) sequence += 1;
  else startMillisecond(lastMillis + 1);
  const random = randomHex(16);
  // The variant of RFC 9562: the first two of the digit's four bits are 10.
  const variant = VARIANTS[Number.parseInt(random.charAt(0), 16) & 3];
  // Three digits of the counter. Adding 0x1000 keeps its leading zeros.
  const counter = (0x1000 + sequence).toString(16).slice(1);
  return `${timeText}-7${counter}-${variant}${random.slice(1, 4)}-${random.slice(4)}`;
}

function startMillisecond(millis: number): void {
  lastMillis = millis;
  sequence = 0;
  const time = millis.toString(16).padStart(12, '0');
  timeText = `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** Whether the text is a lower-case UUID of any version. */
export function isGuid(text: string): boolean {
  return GUID_PATTERN.test(text);
}

/** The time of a UUIDv7, in milliseconds since the epoch. */
export function timeOfGuid(guid: string): number {
  return Number.parseInt(guid.slice(0, 8) + guid.slice(9, 13), 16);
}
