// Checks who may export and import: when a job begins, and again for each part. A job of hours must not continue after
// its requester has lost the rights.
import type { Principal } from '#lib/auth/principal.ts';
import { hasScope } from '#lib/auth/scopes.ts';
import { ServiceError } from '#lib/errors.ts';
import type { CurrentRights } from '../shared/current-rights.ts';
import { restorePrincipal } from '../shared/principal-json.ts';
import { maySeeExport, requestOf } from './export-request.ts';
import type { JobRow } from './jobs.ts';

/** Staff and API keys may export. A patient has `Patient/$everything`. @throws ServiceError `forbidden` */
export function requireExporter({ roles }: Principal): void {
  if (roles.has('admin') || roles.has('clinician') || roles.has('reader') || roles.has('api_key')) return;
  throw new ServiceError('forbidden', 'Exports are for staff and API keys; see Patient/$everything');
}

/** @throws ServiceError `forbidden` */
export function requireImporter(principal: Principal): void {
  const isKey = principal.roles.has('api_key');
  const hasScopes = isKey && hasScope(principal, '*', 'c') && hasScope(principal, '*', 'u');
  if (principal.roles.has('admin') || hasScopes) return;
  throw new ServiceError('forbidden', 'Imports are for admins and API keys with the scope system/*.cu');
}

/**
 * Do not call it within a transaction, because it may call identity.
 * @throws ServiceError `forbidden` when the requester may no longer start this job; `upstream_unavailable`
 */
export async function requireRightsNow(job: JobRow, rights: CurrentRights): Promise<void> {
  const asked = restorePrincipal(job.principal);
  const principal = await rights(asked);
  if (principal !== undefined && mayContinue(job, { principal, asked })) return;
  const message = `Whoever asked for this ${job.kind} may no longer have it: it was ended where it was`;
  throw new ServiceError('forbidden', message);
}

function mayContinue(
  job: JobRow,
  { principal, asked }: { readonly principal: Principal; readonly asked: Principal },
): boolean {
  try {
    if (job.kind !== 'export') requireImporter(principal);
    else requireExporter(principal);
  } catch {
    return false;
  }
  return job.kind !== 'export' || maySeeExport(requestOf(job), { principal, asked });
}
