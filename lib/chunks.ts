// Parts of a sequence, one after the other.

/** The items in lists of `size`; the last may be shorter. Nothing is read before it is asked for. */
export function* chunksOf<T>(items: Iterable<T>, size: number): Generator<readonly T[], void, void> {
  let chunk: T[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
