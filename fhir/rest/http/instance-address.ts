// Rejects `_search`, `_history` and `$operation` in the place of an id: they have routes of their own.
import { operationNotServed, ServiceError } from '#lib/errors.ts';

const OTHERS: ReadonlyMap<string, string> = new Map([
  ['_search', 'POST'],
  ['_history', 'GET, HEAD'],
]);

/** What is served at addresses such as `/Patient/$validate`, and by which methods. */
export interface OperationMethods {
  get(address: string): { readonly methods: readonly string[] } | undefined;
}

/**
 * @throws ServiceError `method_not_allowed`, `not_found` for the name of something else that is not called in this way
 */
export function requireInstance(resourceType: string, id: string, operations: OperationMethods): void {
  if (!id.startsWith('_') && !id.startsWith('$')) return;
  const methods = operations.get(`/${resourceType}/${id}`)?.methods;
  const allow = methods === undefined ? OTHERS.get(id) : allowOf(methods);
  if (allow !== undefined)
    throw new ServiceError('method_not_allowed', `This address takes ${allow}`, { headers: { allow } });
  throw notCalledThus(`/${resourceType}/${id}`, id);
}

/** Whatever takes GET takes HEAD. */
function allowOf(methods: readonly string[]): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}

/** `name` is what stands in the place of an id or of a type. */
export function notCalledThus(address: string, name: string): ServiceError {
  if (name.startsWith('$')) return operationNotServed(name);
  const message = `There is nothing at ${address} that is called in this way`;
  return new ServiceError('not_found', message, { issues: [{ message, code: 'not-supported' }] });
}
