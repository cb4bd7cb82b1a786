// What belongs to a provider, for its key, its staff and the engine that hosts it (decisions G12, D10, L7, L10).
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { actsForProvider, onBehalfOf, personOf, type StaffPerson } from '#lib/auth/provider-staff.ts';
import { notFound } from '#lib/errors.ts';
import { type Actor, auditedBy } from '../actor.ts';

/** What belongs to another provider is as absent. @throws ServiceError `not_found` */
export function requireActsFor(principal: Principal, providerGuid: string, what: string): void {
  if (!actsForProvider(principal, providerGuid)) throw notFound(what);
}

/** Whether the caller may respond and report for a provider. */
export type MayReport = (principal: Principal, providerGuid: string) => Promise<boolean>;

/** The engine reports for the providers that it hosts or hosted: a report may have waited there. */
export function createMayReport(isHosted: (providerGuid: string) => Promise<boolean>): MayReport {
  return async (principal, providerGuid) => {
    if (actsForProvider(principal, providerGuid)) return true;
    return principal.roles.has('service:engine') && isHosted(providerGuid);
  };
}

/** The person who responds or reports: the caller, or the one whom the engine names. */
export function reporterOf(principal: Principal, named: StaffPerson | undefined): StaffPerson | undefined {
  return principal.kind === 'service' ? named : personOf(principal);
}

/** An audit entry of what the caller does for the provider. */
export function auditedFor(
  actor: Actor,
  providerGuid: string,
  entry: Omit<AuditEntry, 'principal' | 'address' | 'requestId'>,
): AuditEntry {
  const { detail, ...unit } = onBehalfOf(actor.principal, providerGuid);
  const details = [entry.detail, detail].filter((text) => text !== undefined);
  return auditedBy(actor, { ...entry, ...unit, ...(details.length === 0 ? {} : { detail: details.join(', ') }) });
}
