// Random digits for ids, which every request needs a few of: drawn from the system and written down by the page.
import { randomFillSync } from 'node:crypto';

const bytes = Buffer.allocUnsafeSlow(4096);
let page = '';
let offset = 0;

/** So many fresh random hex digits, at most 8192. For ids; secrets have `randomBytes`. */
export function randomHex(digits: number): string {
  if (offset + digits > page.length) {
    page = randomFillSync(bytes).toString('hex');
    offset = 0;
  }
  offset += digits;
  return page.slice(offset - digits, offset);
}
