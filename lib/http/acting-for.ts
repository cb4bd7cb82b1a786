// For which of their organisations somebody of several acts, as the request says in the header `Kedja-Organisation` (docs/adr/0060): what they make that
// names no organisation itself belongs to that one.
import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../auth/principal.ts';
import { ServiceError } from '../errors.ts';

const ACTING_FOR = 'kedja-organisation';

/** The caller, with what the header says. @throws ServiceError `forbidden` for an organisation that is not the caller's */
export function actingFor(principal: Principal, headers: IncomingHttpHeaders): Principal {
  const named = headers[ACTING_FOR];
  if (named === undefined) return principal;
  if (typeof named === 'string' && principal.organisationGuids.includes(named)) return { ...principal, actsFor: named };
  throw new ServiceError('forbidden', 'Kedja-Organisation names no organisation that you work in');
}
