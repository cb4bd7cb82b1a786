// Audits refused access to what was sent to a provider (decision G9). A request or a delivery of another provider is
// answered as one that is absent. The audit record holds who asked. What is below a ServiceRequest is recorded by
// `recordRefusedRequests` of fhir/rest.
import type { FastifyRequest } from 'fastify';
import { isRefusal } from '#fhir/rest/refusals.ts';
import type { Audit } from '#lib/audit/audit.ts';
import { actsForProvider } from '#lib/auth/provider-staff.ts';
import type { Database } from '#lib/db/database.ts';
import { isGuid } from '#lib/guid.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf, auditedBy } from '../shared/actor.ts';
import { findReceipt, findReceiptOfDelivery } from './feed/feed-store.ts';

export interface RefusalOptions {
  readonly database: Database;
  readonly audit: Audit;
}

/** The kind of thing that an address is about, and its guid. */
interface Asked {
  readonly kind: 'request' | 'delivery';
  readonly guid: string;
}

const REQUEST_EVENTS: Readonly<Record<string, string>> = { PUT: 'report', POST: 'ask' };

/** Records what the routes of the scope refuse, before the response leaves. */
export function recordRefusedOfProviders(scope: HttpApp, options: RefusalOptions): void {
  scope.addHook('onSend', (request, reply, _payload, done) => {
    const asked = isRefusal(reply.statusCode) ? askedOf(request) : undefined;
    if (asked === undefined || request.principal === undefined) return done();
    record(request, asked, options).then(() => done(), done);
  });
}

async function record(request: FastifyRequest, { kind, guid }: Asked, { database, audit }: RefusalOptions) {
  const actor = actorOf(request);
  const receipt = await (kind === 'request' ? findReceipt : findReceiptOfDelivery)(database, guid);
  // Who acts for the provider was refused for another reason, and sees the request elsewhere.
  if (receipt === undefined || actsForProvider(actor.principal, receipt.providerGuid)) return;
  const { patientGuid, serviceRequestId, requestGuid } = receipt;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const what = isRead ? 'look' : kind === 'delivery' ? 'resend' : REQUEST_EVENTS[request.method];
  const entities = [`ServiceRequest/${serviceRequestId}`, `request/${requestGuid}`];
  const entry = {
    action: isRead ? ('R' as const) : ('E' as const),
    event: `${kind}.${what}`,
    patientGuid,
    entities: kind === 'delivery' ? [`delivery/${guid}`, ...entities] : entities,
    outcome: 'failure' as const,
    detail: 'refused: not for this caller',
  };
  await audit.recordRead(auditedBy(actor, entry));
}

function askedOf({ params, routeOptions: { url = '' } }: FastifyRequest): Asked | undefined {
  if (url.includes('/requests/:request_guid')) return askedFor('request', params, 'request_guid');
  if (url.includes('/deliveries/:delivery_guid')) return askedFor('delivery', params, 'delivery_guid');
  if (/\/(deliveries|dead-letters)\/:guid/.test(url)) return askedFor('delivery', params, 'guid');
  return undefined;
}

function askedFor(kind: Asked['kind'], params: unknown, name: string): Asked | undefined {
  const guid: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
  return typeof guid === 'string' && isGuid(guid) ? { kind, guid } : undefined;
}
