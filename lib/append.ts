// Adding the items of a list to another: `push(...items)` hands each over as an argument, of which there may be about a
// hundred thousand.

/** Adds the items to the end of the list. To be used wherever a caller decides how many there are. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
