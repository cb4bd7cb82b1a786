// Random bytes for ids, which every request needs a few of: drawn from the system by the page.
import { randomFillSync } from 'node:crypto';

const pool = Buffer.allocUnsafeSlow(4096);
let offset = pool.length;

/** So many fresh random bytes, at most 4096, to be used before the next call. For ids; secrets have `randomBytes`. */
export function randomPool(size: number): Buffer {
  if (offset + size > pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  offset += size;
  return pool.subarray(offset - size, offset);
}
