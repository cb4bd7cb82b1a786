// The request headers by which a caller says for whom a request is made. `Kedja-Organisation` (docs/adr/0060): a user
// of several organisations names the one that new records belong to. `Kedja-Patient` (docs/adr/0074): a proxy names the
// patient.
import type { IncomingHttpHeaders } from 'node:http';
import { credentialsFor, isOpenToProxies, type Permission } from '../auth/permissions.ts';
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

export const PROXY_FOR = 'kedja-patient';

/** The header as /openapi.json describes it. */
export const PROXY_FOR_PARAMETER = {
  name: 'Kedja-Patient',
  in: 'header',
  required: false,
  schema: { type: 'string', format: 'uuid' },
  description:
    'The patient for whom you make the request as a proxy; yourself when left out. ' +
    '403 for a patient whose proxy you are not, and for what a proxy may not do',
} as const;

/** Whether a route reads the header: it does where patients may call. */
export function takesProxyFor(permission: Permission | undefined): boolean {
  return permission !== undefined && isOpenToProxies(permission);
}

/** Whether a route reads the header: it does where a user's token gives access. */
export function takesActingFor(permission: Permission | undefined): boolean {
  return permission !== undefined && credentialsFor(permission).includes('bearer');
}

/**
 * The caller, for the organisation or the patient that the headers name.
 * @throws ServiceError `forbidden` for an organisation that is not the caller's, and a patient whose proxy they are not
 */
export function actingFor(principal: Principal, headers: IncomingHttpHeaders): Principal {
  return forOrganisation(forPatient(principal, headers[PROXY_FOR]), headers);
}

/** A proxy sees what the patient sees, and nothing of their own; a proxy's own proxies are nobody's here. */
function forPatient(principal: Principal, named: string | string[] | undefined): Principal {
  if (named === undefined || named === principal.patientGuid) return principal;
  const { proxyFor = [], linkedRecords: _own, ...caller } = principal;
  const grant = proxyFor.find(({ patientGuid }) => patientGuid === named);
  if (grant === undefined) throw new ServiceError('forbidden', 'Kedja-Patient names nobody whose proxy you are');
  const { patientGuid, linkedRecords, may } = grant;
  return { ...caller, patientGuid, proxy: { may }, ...(linkedRecords === undefined ? {} : { linkedRecords }) };
}

function forOrganisation(principal: Principal, headers: IncomingHttpHeaders): Principal {
  const named = headers[ACTING_FOR];
  if (named === undefined) return principal;
  if (typeof named === 'string' && principal.organisationGuids.includes(named)) return { ...principal, actsFor: named };
  throw new ServiceError('forbidden', 'Kedja-Organisation names no organisation that you work in');
}
