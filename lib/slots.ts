// `Slots`: a collection for items that are added and removed thousands of times a second, such as running requests. A
// Map or Set allocates a new table whenever its table is full of removed entries. The old table survives in the old
// generation of the heap until the next full collection, and keeps every request that it held alive. A slot is emptied
// in place instead.

export class Slots<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #free: number[] = [];

  /** Adds the item and returns its slot, which is valid until the item is removed. */
  add(item: T): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  /** Empties the slot, which a later item may get. Call it once for each item. */
  remove(slot: number): void {
    if (this.#items[slot] === undefined) return;
    this.#items[slot] = undefined;
    this.#free.push(slot);
  }

  /** The items with their slots. Items may be removed during the iteration. */
  *entries(): Iterable<readonly [slot: number, item: T]> {
    for (const [slot, item] of this.#items.entries()) if (item !== undefined) yield [slot, item];
  }
}
