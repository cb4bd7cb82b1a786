// Audits refused access to patients' data (decision G9). It is access to resources that are hidden from the caller, and
// to those that the caller has no right to. The response does not distinguish the two; the audit record does.
import type { FastifyRequest } from 'fastify';
import type { AccessLog } from '#lib/audit/access-log.ts';
import type { AuditAction, AuditEntry } from '#lib/audit/audit-event.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Queryable } from '#lib/db/database.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { firstParameterIn } from '#lib/http/route-family.ts';
import { type Access, ALL_ACCESS } from '../store/access.ts';
import { findVisible } from '../store/read/find-visible.ts';
import type { ResourceAddress } from '../store/read/lookup.ts';
import type { FhirStore } from '../store/store.ts';
import { patientsIn, type Reading } from '../store/threads.ts';
import { kebab } from './interactions/access-records.ts';
import type { FhirRestOptions } from './options.ts';
import { recordRefusedSearch, searchOfRequest } from './refused-searches.ts';

export interface RefusalOptions {
  readonly database: Queryable;
  readonly store: FhirStore;
  readonly accessLog: Pick<AccessLog, 'recordEvents'>;
  readonly access: (principal: Principal) => Access;
  readonly workerThreads?: Reading['workerThreads'];
}

/** What recording needs of the options of FHIR routes. */
export function refusalOptions({ database, store, accessLog, access, workerThreads }: FhirRestOptions): RefusalOptions {
  return { database, store, accessLog, access: (principal) => access(principal, 'read'), workerThreads };
}

export interface Refused {
  readonly method: string;
  readonly principal: Principal;
  readonly origin: { readonly address: string; readonly requestId: string };
  readonly addresses: readonly ResourceAddress[];
  /** 404 is a refusal only of what is there and hidden. */
  readonly status: number;
}

const ACTIONS: Readonly<Record<string, AuditAction>> = { GET: 'R', HEAD: 'R', PUT: 'U', PATCH: 'U', DELETE: 'D' };
const EVENTS: Readonly<Record<string, string>> = {
  GET: 'read',
  HEAD: 'read',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
/** Of one request; a bundle may name many more. */
const MAX_RECORDED = 100;

/** Whether the answer to a request may be a refusal. */
export function isRefusal(status: number): boolean {
  return status === 403 || status === 404;
}

/** Records, for each patient concerned, that the caller was refused; of what is not there, nothing. */
export async function recordRefusals(refused: Refused, options: RefusalOptions): Promise<void> {
  const entries: AuditEntry[] = [];
  for (const address of refused.addresses.slice(0, MAX_RECORDED))
    entries.push(...(await entriesFor(address, refused, options)));
  await options.accessLog.recordEvents(entries);
}

async function entriesFor(
  address: ResourceAddress,
  { method, principal, origin, status }: Refused,
  { database, store, access, workerThreads }: RefusalOptions,
): Promise<AuditEntry[]> {
  const version = await findVisible(store, database, address, ALL_ACCESS);
  if (version === undefined) return [];
  if (status === 404 && (await findVisible(store, database, address, access(principal))) !== undefined) return [];
  const { resourceType, id } = address;
  const patients = await patientsIn(version.content, { parameters: store.parameters, workerThreads });
  return patients.map((patientGuid) => ({
    action: ACTIONS[method] ?? 'E',
    event: `${kebab(resourceType)}.${EVENTS[method] ?? 'operation'}`,
    principal,
    patientGuid,
    entities: [`${resourceType}/${id}`],
    outcome: 'failure',
    detail: 'refused: not for this caller',
    ...origin,
  }));
}

/**
 * Records what the routes of the scope refuse at the address of one resource, and searches that they refuse, before the
 * answer leaves. `typeOf` returns the type of a route whose first parameter is an id of it.
 */
export function recordRefusedRequests(
  scope: HttpApp,
  typeOf: (route: string) => string | undefined,
  options: FhirRestOptions,
): void {
  const ofResources = refusalOptions(options);
  scope.addHook('onSend', (request, reply, _payload, done) => {
    if (!isRefusal(reply.statusCode) || request.principal === undefined) return done();
    const search = reply.statusCode === 403 ? searchOfRequest(request, options.types) : undefined;
    const refused = refusedBy(request, reply.statusCode, typeOf);
    if (search === undefined && refused === undefined) return done();
    const origin = { address: request.ip, requestId: request.id };
    const recorded =
      search === undefined
        ? refused && recordRefusals(refused, ofResources)
        : recordRefusedSearch({ ...search, principal: request.principal, origin }, options);
    Promise.resolve(recorded).then(
      () => done(),
      (err: unknown) => {
        // What was refused stays refused: nothing of it is shown.
        request.log.error({ event: 'audit.refusal-not-recorded', err });
        done();
      },
    );
  });
}

function refusedBy(
  { principal, params, served, method, ip, id: requestId }: FastifyRequest,
  status: number,
  typeOf: (route: string) => string | undefined,
): Refused | undefined {
  const resourceType = typeOf(served?.url ?? '');
  const id = firstParameterIn(params);
  if (principal === undefined || resourceType === undefined || typeof id !== 'string') return undefined;
  return { method, principal, origin: { address: ip, requestId }, addresses: [{ resourceType, id }], status };
}
