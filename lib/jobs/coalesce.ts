// Work that many callers ask for at once, done in few pieces: what waits goes together, and a few pieces are under way at a time. The
// busier the callers, the larger the pieces.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface CoalesceOptions<T> {
  /** The most that goes together, in the units of `sizeOf`; a larger item goes alone. */
  readonly maxSize: number;
  readonly sizeOf?: (item: T) => number;
  /** How many pieces may be under way. */
  readonly maxRunning: number;
}

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A function that answers what `run` answers for its item, in the place of the item. Items go in the order in which they were given; what
 * `run` throws fails the items of that piece alone.
 */
export function coalesce<T, R>(
  run: (items: readonly T[]) => Promise<readonly R[]>,
  { maxSize, sizeOf = () => 1, maxRunning }: CoalesceOptions<T>,
): (item: T) => Promise<R> {
  const waiting: Waiting<T, R>[] = [];
  let running = 0;
  let isArranged = false;
  // A piece serves several requests and belongs to none of them.
  const outsideOfRequests = AsyncLocalStorage.snapshot();

  function takePiece(): Waiting<T, R>[] {
    let size = 0;
    const end = waiting.findIndex(({ item }, index) => {
      size += sizeOf(item);
      return index > 0 && size > maxSize;
    });
    return waiting.splice(0, end === -1 ? waiting.length : end);
  }

  async function work(piece: readonly Waiting<T, R>[]): Promise<void> {
    running += 1;
    try {
      const results = await run(piece.map(({ item }) => item));
      for (const [index, { resolve, reject }] of piece.entries()) {
        const result = results[index];
        if (result === undefined) reject(new Error('There is no result for an item'));
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of piece) reject(error);
    }
    running -= 1;
    arrange();
  }

  function begin(): void {
    isArranged = false;
    while (waiting.length > 0 && running < maxRunning) void work(takePiece());
  }

  /** After what has arrived together has been read: the items of one moment go in one piece. */
  function arrange(): void {
    if (isArranged || waiting.length === 0 || running >= maxRunning) return;
    isArranged = true;
    outsideOfRequests(() => setImmediate(begin));
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      arrange();
    });
}
