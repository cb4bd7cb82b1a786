// The conditional references of a transaction's entries, each looked up once (hl7.org/fhir/R5/http.html#trules).
import type { Transaction } from '#lib/db/database.ts';
import type { RouteContext } from '../context.ts';
import type { FhirCall } from '../interactions/call.ts';
import { addressOfReference, referencesOf } from '../interactions/write/conditional-references.ts';
import { type ConditionalReference, mayBeConditional } from '../links.ts';
import { atEntry } from './failure.ts';
import type { BundleRequest } from './request.ts';

export interface ResolvedReferences {
  /** The address that each reference was resolved to. */
  readonly resolved: ReadonlyMap<string, string>;
  /** By the place of the entry: a reference that nothing fulfils at the moment. */
  readonly unresolved: ReadonlyMap<number, ConditionalReference>;
}

/** @throws ServiceError with the entry's place for a reference that cannot be read, or that several resources fulfil */
export async function resolveAllReferences(
  tx: Transaction,
  call: FhirCall,
  writes: readonly BundleRequest[],
  context: RouteContext,
): Promise<ResolvedReferences> {
  const known = new Map<string, string | undefined>();
  const unresolved = new Map<number, ConditionalReference>();
  for (const request of writes) {
    if (request.source === undefined || !mayBeConditional(request.source.text)) continue;
    for (const reference of await referencesOf(request.source, context)) {
      const { link } = reference;
      try {
        if (!known.has(link)) known.set(link, await addressOfReference(tx, call, reference, context));
      } catch (error) {
        throw atEntry(error, request);
      }
      if (known.get(link) === undefined) unresolved.set(request.index, reference);
    }
  }
  const resolved = [...known].flatMap(([link, address]) => (address === undefined ? [] : [[link, address] as const]));
  return { resolved: new Map(resolved), unresolved };
}
