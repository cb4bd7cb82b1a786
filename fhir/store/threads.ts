// Worker threads of the store (docs/adr/0042): the work on long resources, which would block the event loop. A service
// provides them when it creates the store.

import type { ResourceText } from '#fhir/resources/resource-text.ts';
import { compartmentPatients } from '#fhir/search/extract/extract.ts';
import type { SearchValues } from '#fhir/search/extract/search-values.ts';
import type { ResourceWords } from '#fhir/search/extract/words.ts';
import type { CustomParameter } from '#fhir/search/parameters/custom-parameter.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { OverlayContent } from '#fhir/search/parameters/overlay.ts';
import type { Issue } from '#lib/errors.ts';
import type { AccessFilter, VisibleVersion } from './access.ts';

/**
 * UTF-16 units. Up to this a resource is read, validated and indexed in some 20 ms, however dense; a longer one in a
 * thread.
 */
export const LONG = 64 * 1024;
/** UTF-16 units of resources that are read for one statement. */
export const LONG_BATCH = 256 * 1024;

export interface StoreThreads {
  /** The errors of a resource that is checked at once; undefined for one that is to be checked by `check`. */
  readonly checkNow: (source: ResourceText, follows?: readonly string[]) => readonly Issue[] | undefined;
  readonly check: (source: ResourceText, follows?: readonly string[]) => Promise<readonly Issue[]>;
  /** What the index is to hold of a long resource. */
  readonly index: (source: ResourceText, id: string) => Promise<SearchValues>;
  /**
   * The same of a stored resource in the background: by the users' parameters of `content`, or by the one parameter
   * alone.
   */
  readonly indexAgain: (text: string, by: IndexedBy) => Promise<SearchValues>;
  /** As `isVersionVisible`. */
  readonly isVisible: (filter: AccessFilter, version: VisibleVersion, reader?: Reader) => Promise<boolean>;
  /** In whose compartments a stored resource is. */
  readonly patients: (content: string) => Promise<readonly string[]>;
  /** The words of a stored resource for full text search. */
  readonly words: (content: string) => Promise<ResourceWords>;
}

/** What a stored resource is read for: everything, by what users define; or one parameter that a user defines. */
export type IndexedBy =
  | { readonly kind: 'all'; readonly content: OverlayContent }
  | { readonly kind: 'one'; readonly parameter: CustomParameter; readonly content: OverlayContent };

/** For whom stored resources are read. */
export interface Reader {
  /** Guid of the caller, who may not fill all places. */
  readonly owner?: string | undefined;
  /** A job in the background: it waits for its turn, and is never refused. */
  readonly isPatient?: boolean;
}

/** Where stored resources are read: long ones in threads, where there are any. */
export interface Reading {
  readonly parameters: SearchParameters;
  readonly workerThreads?: Pick<StoreThreads, 'patients' | 'isVisible'> | undefined;
}

/** The ids of the patients in whose compartments a stored resource is. */
export async function patientsIn(text: string, { parameters, workerThreads }: Reading): Promise<readonly string[]> {
  return workerThreads !== undefined && isLong({ text })
    ? workerThreads.patients(text)
    : compartmentPatients(JSON.parse(text), parameters);
}

/**
 * Caches the index values of a resource, so that it is read once for all that a request does with it.
 */
export function readOnce(workerThreads: StoreThreads): StoreThreads {
  const known = new WeakMap<ResourceText, { readonly id: string; readonly values: SearchValues }>();
  return {
    ...workerThreads,
    index: async (source, id) => {
      const before = known.get(source);
      if (before?.id === id) return before.values;
      const values = await workerThreads.index(source, id);
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
