// Random hex digits for ids. A pool of 4 KiB is drawn from the system at a time, because every request needs a few
// digits.
import { randomFillSync } from 'node:crypto';

const bytes = Buffer.allocUnsafeSlow(4096);
let page = '';
let offset = 0;

/** Returns fresh random hex digits, at most 8192. Only for ids; secrets use `randomBytes`. */
export function randomHex(digits: number): string {
  if (offset + digits > page.length) {
    page = randomFillSync(bytes).toString('hex');
    offset = 0;
  }
  offset += digits;
  return page.slice(offset - digits, offset);
}
