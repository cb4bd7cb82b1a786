// The valid FHIR resources that clients may not store. These are Subscriptions, because Kedja sends no notifications
// (docs/adr/0052), audit events that claim to be Kedja's own (decisions E1, G9), and the tags of reports.

import { isJsonObject } from '#fhir/patch/json-tree.ts';
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import { hasReportTag, PATIENT_REPORTED, PROVIDER_REPORTED, REPORTED_BY } from '#fhir/store/patient-reported.ts';
import { EVENT_SYSTEM, OBSERVER_PREFIX } from '#lib/audit/audit-event.ts';
import type { Issue } from '#lib/errors.ts';

type Json = Readonly<Record<string, unknown>>;

const FORGED_TAG: Issue = {
  message:
    `The tags ${PATIENT_REPORTED.code} and ${PROVIDER_REPORTED.code}, and those of ${REPORTED_BY}, are given by the service
    to what patients and providers report, and by nobody else`.replace(/\s+/g, ' '),
  field: 'meta.tag',
  code: 'business-rule',
};

/** The statuses in which a Subscription requests no notifications. */
const INACTIVE_STATUSES: ReadonlySet<unknown> = new Set(['off', 'entered-in-error']);

/** @returns the issues of elements that a client may not store */
export function clientIssues({ resource, isOwnReport }: ResourceText): readonly Issue[] {
  if (isOwnReport !== true && hasReportTag(resource)) return [FORGED_TAG];
  switch (resource['resourceType']) {
    case 'Subscription':
      return subscriptionIssues(resource);
    case 'AuditEvent':
      return auditIssues(resource);
    default:
      return [];
  }
}

function subscriptionIssues({ status }: Json): readonly Issue[] {
  if (typeof status !== 'string' || INACTIVE_STATUSES.has(status)) return [];
  const message = `Subscriptions are not carried out here, so that one with the status ${status} would promise what does not happen; store it with
    the status off, and follow /_history or the webhooks of dispatch`;
  return [{ message: message.replace(/\s+/g, ' '), field: 'Subscription.status', code: 'not-supported' }];
}

/** Kedja's own audit events are recognised by their observer and by the system of their codes. */
function auditIssues({ source, code }: Json): readonly Issue[] {
  const issues: Issue[] = [];
  const forged = (field: string, message: string) => issues.push({ message, field, code: 'business-rule' });
  const observer = member(member(source, 'observer'), 'display');
  if (typeof observer === 'string' && observer.trim().toLowerCase().startsWith(OBSERVER_PREFIX)) {
    forged(
      'AuditEvent.source.observer',
      `Events observed by ${OBSERVER_PREFIX}… are written by Kedja's services alone`,
    );
  }
  const codings: unknown = member(code, 'coding');
  if (Array.isArray(codings) && codings.some((coding) => member(coding, 'system') === EVENT_SYSTEM)) {
    forged('AuditEvent.code', `Codes of ${EVENT_SYSTEM} are given by Kedja's services alone`);
  }
  return issues;
}

function member(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}
