// Resolves conditional references (`Patient?identifier=…`): each is replaced by the address of its one match before the
// write (hl7.org/fhir/R5/http.html#trules). FHIR asks it of transactions; here single creates and
// updates, and so entries of batches, do it too.

import type { ResourceText } from '#fhir/resources/resource-text.ts';
import { isLong } from '#fhir/store/threads.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Issue, messageOf, ServiceError } from '#lib/errors.ts';
import type { RouteContext } from '../../context.ts';
import {
  type ConditionalReference,
  conditionalReferences,
  mayBeConditional,
  type Relinked,
  relinkedWith,
  relinkFor,
} from '../../links.ts';
import { type RequestedSearch, recordRefusedSearch } from '../../refused-searches.ts';
import type { Links } from '../../threads/tasks.ts';
import type { FhirCall } from '../call.ts';
import { readCondition } from './condition.ts';

/** Each is a search. */
const MAX_REFERENCES = 1000;

/** Searches that references asked for in vain, by the errors that they were refused with. */
const refusedSearches = new WeakMap<ServiceError, RequestedSearch>();

/**
 * The address of what a reference means; undefined when nothing fulfils it. A refusal outside of transactions is
 * recorded; a transaction's is by the caller that ends it.
 * @throws ServiceError when it cannot be read, or means several; `forbidden`
 */
export async function addressOfReference(
  db: Queryable,
  call: FhirCall,
  reference: ConditionalReference,
  context: RouteContext,
): Promise<string | undefined> {
  const { type: name } = reference;
  const query = new URLSearchParams(reference.query);
  const type = context.options.types.find((each) => each.type === name);
  try {
    if (type === undefined) throw new ServiceError('unprocessable', `${name} is not served here`);
    const condition = readCondition(call, query, type, context);
    const access = context.options.access(call.principal, 'search-type');
    const found = await context.options.store.findOne(db, condition, { access });
    return found && `${name}/${found.id}`;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 403) {
      const aliases = type?.search?.aliases ?? new Map<string, string>();
      refusedSearches.set(error, { resourceType: name, query, compartment: undefined, aliases });
      // A transaction that waited for another connection's record could wait for ever.
      if (call.execution.within === undefined) await recordRefusedReference(call, error, context);
    }
    throw ofReference(error, reference);
  }
}

/**
 * Records, outside of transactions, the search of a conditional reference that the error refused; of any other error
 * nothing. Resolves when it is stored.
 */
export async function recordRefusedReference(
  { principal, origin }: FhirCall,
  error: unknown,
  { options }: RouteContext,
): Promise<void> {
  for (let at = error; at instanceof ServiceError; at = at.cause) {
    const search = refusedSearches.get(at);
    if (search !== undefined) return recordRefusedSearch({ ...search, principal, origin }, options);
  }
}

export function unfulfilled(reference: ConditionalReference): ServiceError {
  return new ServiceError('unprocessable', `Nothing fulfils the reference ${nameOf(reference)}`);
}

/**
 * The resource with each conditional reference as the address of what it means. The resource itself is returned when it
 * has none, and when it is part of a transaction. A transaction resolves the references of all its entries together.
 * @throws ServiceError `unprocessable` for what nothing fulfils, `precondition_failed` for what several do;
 * `forbidden`, `validation_error`
 */
export async function resolveReferences(
  call: FhirCall,
  source: ResourceText,
  context: RouteContext,
): Promise<ResourceText> {
  if (call.execution.within !== undefined || !mayRefer(source)) return source;
  const references = await referencesOf(source, context);
  if (references.length === 0) return source;
  const addresses = await addressesOf(call, references, context);
  const links = { fullUrl: undefined, addresses: new Map(), conditional: addresses };
  return (await relinkedBy(source, links, context)).source;
}

/** What each conditional reference means. @throws ServiceError as `resolveReferences` */
export async function addressesOf(
  call: FhirCall,
  references: readonly ConditionalReference[],
  context: RouteContext,
): Promise<ReadonlyMap<string, string>> {
  if (references.length > MAX_REFERENCES) {
    const message = `A resource has at most ${MAX_REFERENCES} conditional references; this has ${references.length}`;
    throw new ServiceError('unprocessable', message, { issues: [{ message, code: 'too-costly' }] });
  }
  const addresses = new Map<string, string>();
  for (const reference of references) {
    const { link } = reference;
    if (addresses.has(link)) continue;
    const address = await addressOfReference(call.execution.db, call, reference, context);
    if (address === undefined) throw unfulfilled(reference);
    addresses.set(link, address);
  }
  return addresses;
}

/** The conditional references of a resource; of a long one they are found in a thread. */
export async function referencesOf(
  source: ResourceText,
  { options: { workerThreads, baseUrl } }: RouteContext,
): Promise<readonly ConditionalReference[]> {
  return workerThreads !== undefined && isLong(source)
    ? workerThreads.references(source)
    : conditionalReferences(source, baseUrl);
}

/** The resource with its links put right; a long one in a thread. */
export async function relinkedBy(
  source: ResourceText,
  links: Links,
  { options: { workerThreads } }: RouteContext,
): Promise<Relinked<ResourceText>> {
  if (workerThreads !== undefined && isLong(source)) return workerThreads.relink(source, links);
  const found = relinkedWith(source, relinkFor(links.fullUrl, links.addresses, links.conditional));
  if (found.source !== source) workerThreads?.share(found.source, workerThreads.budgetOf(source));
  return found;
}

/** A bundle that is stored keeps the references that its entries have: it may be one that somebody is to carry out. */
function mayRefer({ text, resourceType }: ResourceText): boolean {
  return resourceType !== 'Bundle' && mayBeConditional(text);
}

/** Without the values: they may say who somebody is, and messages do not. */
function nameOf({ type, query }: ConditionalReference): string {
  const names = [...new URLSearchParams(query).keys()].map((name) => `${name}=…`);
  return `${type}?${names.join('&')}`;
}

function ofReference(error: unknown, reference: ConditionalReference): unknown {
  if (!(error instanceof ServiceError)) return error;
  const known: readonly Issue[] = error.issues.length > 0 ? error.issues : [{ message: error.message }];
  const issues = known.map(({ message: text, code: issue }) => ({
    message: `The reference ${nameOf(reference)}: ${text}`,
    ...(issue === undefined ? {} : { code: issue }),
  }));
  return new ServiceError(error.code, messageOf(issues), { issues, cause: error });
}
