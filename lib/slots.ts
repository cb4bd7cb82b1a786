// What is under way at the moment, where thousands come and go each second. A Map or Set is made anew whenever its
// table is full of what was removed, and the old table, which lives in the old space of the heap, keeps all that was in
// it at that moment until the next full collection: every request would outlive its answer. A slot is emptied in its
// place.

export class Slots<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #free: number[] = [];

  /** The slot that the item has until it is removed. */
  add(item: T): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  /** Empties the slot, which the next item may get; to be called once. */
  remove(slot: number): void {
    if (this.#items[slot] === undefined) return;
    this.#items[slot] = undefined;
    this.#free.push(slot);
  }

  /** Those that are there, each with its slot; removing them meanwhile is allowed. */
  *entries(): Iterable<readonly [slot: number, item: T]> {
    for (const [slot, item] of this.#items.entries()) if (item !== undefined) yield [slot, item];
  }
}
