// What every FHIR route needs at hand: the options, who is calling, the record of the look or change, and the answer in the form asked for.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditAction, AuditEntry } from '#lib/audit/audit-event.ts';
import type { Transaction } from '#lib/db/database.ts';
import { type Definitions, r5Definitions } from '#lib/fhir/definitions/definitions.ts';
import { compartmentPatients } from '#lib/fhir/search/extract.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import { answerType, queryOf, sendText } from './content.ts';
import type { FhirRestOptions } from './options.ts';
import { prettyJson } from './pretty-json.ts';

export interface RouteContext {
  readonly options: FhirRestOptions;
  readonly definitions: Definitions;
}

export function createContext(options: FhirRestOptions): RouteContext {
  return { options, definitions: r5Definitions() };
}

/** `https://…/Patient/1`. */
export function urlOf({ options }: RouteContext, { resourceType, id }: { resourceType: string; id: string }): string {
  return `${options.baseUrl}/${resourceType}/${id}`;
}

/** Sends JSON text in the format, and with the line breaks, that the request asks for. */
export function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  query: URLSearchParams = queryOf(request),
): FastifyReply {
  return sendText(reply, answerType(request, query), query.get('_pretty') === 'true' ? prettyJson(text) : text);
}

interface Look {
  readonly action: AuditAction;
  /** `read`, `search-type`, … */
  readonly interaction: string;
  readonly resourceType: string;
  readonly versions: readonly StoredVersion[];
}

/** Records a look at what is about to be sent; resolves when the record is stored (G9). */
export async function recordLook(request: FastifyRequest, look: Look, context: RouteContext): Promise<void> {
  if (!isAboutPatients(look.resourceType, look.versions, context)) return;
  const { audit } = context.options;
  await Promise.all(auditEntries(request, look, context).map((entry) => audit.recordRead(entry)));
}

/** Records a change, in its own transaction (G9). */
export async function recordChange(
  tx: Transaction,
  request: FastifyRequest,
  look: Look,
  context: RouteContext,
): Promise<void> {
  if (!isAboutPatients(look.resourceType, look.versions, context)) return;
  await context.options.audit.record(tx, ...auditEntries(request, look, context));
}

/** Whether records of the type lie in a patient's compartment, so that looking at them is looking at a person. */
function isAboutPatients(resourceType: string, versions: readonly StoredVersion[], { options }: RouteContext): boolean {
  const { parameters } = options.store;
  const isOfPatients = (type: string) =>
    type === 'Patient' || parameters.compartmentParameters('Patient', type).length > 0;
  return isOfPatients(resourceType) || versions.some((version) => isOfPatients(version.resourceType));
}

/** One entry for each patient concerned, naming what was seen of them; one without patient when there is none. */
function auditEntries(request: FastifyRequest, look: Look, { options }: RouteContext): AuditEntry[] {
  const seen = new Map<string, string[]>();
  const others: string[] = [];
  for (const version of look.versions) {
    const name = `${version.resourceType}/${version.id}`;
    const patients = compartmentPatients(JSON.parse(version.content), options.store.parameters);
    if (patients.length === 0) others.push(name);
    for (const patient of patients) seen.set(patient, [...(seen.get(patient) ?? []), name]);
  }
  const common = {
    action: look.action,
    event: `${kebab(look.resourceType)}.${look.interaction}`,
    principal: request.principal,
    address: request.ip,
    requestId: request.id,
  };
  const entries: AuditEntry[] = [...seen].map(([patientGuid, entities]) => ({ ...common, patientGuid, entities }));
  if (entries.length === 0 || others.length > 0) {
    entries.push({ ...common, entities: others.length === 0 ? [look.resourceType] : others });
  }
  return entries;
}

function kebab(type: string): string {
  return type.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}
