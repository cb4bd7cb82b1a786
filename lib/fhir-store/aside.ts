// What the store leaves to others of resources that would hold up the event loop (docs/adr/0042): whoever makes the store may have threads for it.
import type { Fault } from '#lib/errors.ts';
import type { ResourceText } from '#lib/fhir/resource-text.ts';
import type { SearchValues } from '#lib/fhir/search/search-values.ts';
import type { ResourceWords } from '#lib/fhir/search/words.ts';

/** UTF-16 units. Up to this a resource is read, validated and indexed in some 20 ms, however dense; a longer one in a thread. */
export const LONG = 64 * 1024;
/** UTF-16 units of resources that are read for one statement. */
const LONG_BATCH = 256 * 1024;

export interface StoreAside {
  /** The faults of a resource that is judged at once; undefined for one that is to be judged by `check`. */
  readonly checkNow: (source: ResourceText, follows?: readonly string[]) => readonly Fault[] | undefined;
  readonly check: (source: ResourceText, follows?: readonly string[]) => Promise<readonly Fault[]>;
  /** What the index is to hold of a long resource. */
  readonly index: (source: ResourceText, id: string) => Promise<SearchValues>;
  /** In whose compartments a stored resource lies. */
  readonly patients: (content: string) => Promise<readonly string[]>;
  /** What full text search looks at of a stored resource. */
  readonly words: (content: string) => Promise<ResourceWords>;
}

/** Reads a resource for the index once, however often it is asked what there is of it: before a transaction, and in it. */
export function readOnce(aside: StoreAside): StoreAside {
  const known = new WeakMap<ResourceText, { readonly id: string; readonly values: SearchValues }>();
  return {
    ...aside,
    index: async (source, id) => {
      const before = known.get(source);
      if (before?.id === id) return before.values;
      const values = await aside.index(source, id);
      known.set(source, { id, values });
      return values;
    },
  };
}

export function isLong({ text }: Pick<ResourceText, 'text'>): boolean {
  return text.length > LONG;
}

/** How many of the inputs, from `start` on, go into one statement: a long resource goes alone. */
export function batchSize(
  inputs: readonly { readonly source: Pick<ResourceText, 'text'> }[],
  start: number,
  most: number,
): number {
  let [count, length] = [0, 0];
  for (; count < most && start + count < inputs.length; count += 1) {
    const source = inputs[start + count]?.source ?? { text: '' };
    length += source.text.length;
    if (count > 0 && length > LONG_BATCH) break;
  }
  return count;
}
