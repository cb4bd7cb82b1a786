// Conditional references of a transaction (`Patient?identifier=…`): the one resource that each means (hl7.org/fhir/R5/http.html#trules).
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { RouteContext } from '../context.ts';
import type { FhirCall } from '../interactions/call.ts';
import { readCondition } from '../interactions/condition.ts';
import type { BundleRequest } from './entry.ts';
import { atEntry } from './failure.ts';
import { type ConditionalReference, conditionalReferences } from './references.ts';

export interface ResolvedReferences {
  /** The address of what each reference means. */
  readonly resolved: ReadonlyMap<string, string>;
  /** By the entries' places: a reference of theirs that nothing fulfils now. */
  readonly unresolved: ReadonlyMap<number, string>;
}

/** @throws ServiceError with the entry's place when one cannot be read, or means several resources */
export async function resolveReferences(
  tx: Transaction,
  call: FhirCall,
  writes: readonly BundleRequest[],
  context: RouteContext,
): Promise<ResolvedReferences> {
  const known = new Map<string, string | undefined>();
  const unresolved = new Map<number, string>();
  for (const request of writes) {
    if (request.source?.text.includes('?') !== true) continue;
    for (const reference of conditionalReferences(request.source, context.options.baseUrl)) {
      const { link } = reference;
      try {
        if (!known.has(link)) known.set(link, await addressOfReference(tx, call, reference, context));
      } catch (error) {
        throw atEntry(error, request);
      }
      if (known.get(link) === undefined) unresolved.set(request.index, link);
    }
  }
  const resolved = [...known].flatMap(([link, address]) => (address === undefined ? [] : [[link, address] as const]));
  return { resolved: new Map(resolved), unresolved };
}

async function addressOfReference(
  tx: Transaction,
  call: FhirCall,
  { type: name, query }: ConditionalReference,
  context: RouteContext,
): Promise<string | undefined> {
  const type = context.options.types.find((each) => each.type === name);
  if (type === undefined)
    throw new ServiceError('unprocessable', `${name}?${query} is of a type that is not served here`);
  const condition = readCondition(call, new URLSearchParams(query), type, context);
  const access = context.options.access(call.principal, 'search-type');
  const found = await context.options.store.findOne(tx, condition, { access });
  return found && `${name}/${found.id}`;
}
