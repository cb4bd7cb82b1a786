// Appends one list to another of any length. `list.push(...items)` passes each item as an argument, and the engine
// allows about a hundred thousand arguments.

/** Appends the items to the list. Use it wherever a caller decides how many items there are. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
