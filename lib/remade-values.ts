// Values that can be made again and do not differ in use, such as the rows of routes for a type. A process with a
// hundred tenants needs few of them at a time, and would hold many for ever (docs/adr/0146).

/** A single value: made by the first who asks, and again after it was collected as garbage. */
export function createRemadeValue<Value extends object>(make: () => Value): () => Value {
  let known: WeakRef<Value> | undefined;
  return () => {
    const kept = known?.deref();
    if (kept !== undefined) return kept;
    const made = make();
    known = new WeakRef(made);
    return made;
  };
}

export interface RemadeValues<Value extends object> {
  /** The value of the key, as {@link createRemadeValue} has one. */
  get(key: string): Value | undefined;
}

/** @param make is given each key and returns undefined where there is no value */
export function createRemadeValues<Value extends object>(
  make: (key: string) => Value | undefined,
): RemadeValues<Value> {
  const known = new Map<string, WeakRef<Value>>();
  return {
    get(key) {
      const kept = known.get(key)?.deref();
      if (kept !== undefined) return kept;
      const made = make(key);
      if (made !== undefined) known.set(key, new WeakRef(made));
      return made;
    },
  };
}
