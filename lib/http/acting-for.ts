// The request header `Kedja-Organisation` (docs/adr/0060). A user of several organisations names with it the one that
// the request is made for. New records that name no organisation belong to that one.
import type { IncomingHttpHeaders } from 'node:http';
import { credentialsFor, type Permission } from '../auth/permissions.ts';
import type { Principal } from '../auth/principal.ts';
import { ServiceError } from '../errors.ts';

const ACTING_FOR = 'kedja-organisation';

/** The header as /openapi.json describes it (OpenAPI 3.1, Parameter Object). */
export const ACTING_FOR_PARAMETER = {
  name: 'Kedja-Organisation',
  in: 'header',
  required: false,
  schema: { type: 'string', format: 'uuid' },
  description:
    'The organisation, one of those that you work in, for which the request is made: what it makes belongs to that one where it names none itself. ' +
    'The first of yours when left out; 403 for one that you do not work in',
} as const;

/** Whether a route reads the header: it does where a user's token gives access. */
export function takesActingFor(permission: Permission | undefined): boolean {
  return permission !== undefined && credentialsFor(permission).includes('bearer');
}

/**
 * The caller, with the organisation that the header names.
 * @throws ServiceError `forbidden` for an organisation that is not the caller's
 */
export function actingFor(principal: Principal, headers: IncomingHttpHeaders): Principal {
  const named = headers[ACTING_FOR];
  if (named === undefined) return principal;
  if (typeof named === 'string' && principal.organisationGuids.includes(named)) return { ...principal, actsFor: named };
  throw new ServiceError('forbidden', 'Kedja-Organisation names no organisation that you work in');
}
