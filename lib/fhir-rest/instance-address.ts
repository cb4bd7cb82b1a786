// What stands where an id would: `_search`, `_history` and `$operations` have addresses of their own, and are nobody's id.
import { ServiceError } from '#lib/errors.ts';

const OTHERS: ReadonlyMap<string, string> = new Map([
  ['_search', 'POST'],
  ['_history', 'GET, HEAD'],
]);

/** @throws ServiceError `method_not_allowed`, `not_found` for the name of something else that is not called in this way */
export function requireInstance(resourceType: string, id: string): void {
  if (!id.startsWith('_') && !id.startsWith('$')) return;
  const allow = OTHERS.get(id);
  if (allow !== undefined)
    throw new ServiceError('method_not_allowed', `This address takes ${allow}`, { headers: { allow } });
  throw unknownOperation(`/${resourceType}/${id}`);
}

export function unknownOperation(address: string): ServiceError {
  return new ServiceError('not_found', `There is nothing at ${address} that is called in this way`, {
    faults: [{ message: `There is nothing at ${address} that is called in this way`, issue: 'not-supported' }],
  });
}
