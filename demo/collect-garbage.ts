// Gives back to the system what a load has left behind: an idle process does not collect by itself, and would keep the
// memory of its busiest moment.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * One full collection (V8's `gc`, shown to nobody else), of the kind that V8 makes before it gives up: a common one
 * leaves the heap about as large as it was.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
