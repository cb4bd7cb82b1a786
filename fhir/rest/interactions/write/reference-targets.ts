// Checks referential integrity (option `checksReferences`): the references of a written resource must point to existing
// resources. The check runs in the transaction, after the write, so that resources may refer to themselves and to
// others of the same transaction.

import { findAbsent } from '#fhir/store/read/existence.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { isLong } from '#fhir/store/threads.ts';
import { MAX_ISSUES } from '#fhir/validation/issue-list.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Issue, messageOf, ServiceError } from '#lib/errors.ts';
import type { RouteContext } from '../../context.ts';
import type { FhirCall } from '../call.ts';
import { type ReferenceTarget, referenceTargets } from './target-addresses.ts';

/** @throws ServiceError `unprocessable` naming every reference to what the caller does not see */
export async function requireTargets(
  db: Queryable,
  call: FhirCall,
  version: StoredVersion,
  context: RouteContext,
): Promise<void> {
  if (context.options.checksReferences !== true || version.isDeleted) return;
  const issues = await absentIn(db, call, await targetsOf(version.content, context), context);
  if (issues.length > 0) throw new ServiceError('unprocessable', messageOf(issues), { issues });
}

/**
 * An error for each reference to a resource of this server that is not there, or that the caller may not see. Of a long
 * one the text is read.
 */
export async function absentTargets(
  db: Queryable,
  call: FhirCall,
  {
    resource,
    text,
    isLong: isLongOne,
  }: { readonly resource: unknown; readonly text: () => string; readonly isLong?: boolean },
  context: RouteContext,
): Promise<Issue[]> {
  const { checksReferences, baseUrl } = context.options;
  if (checksReferences !== true) return [];
  const found = isLongOne === true ? await targetsOf(text(), context) : referenceTargets(resource, baseUrl);
  return absentIn(db, call, found, context);
}

/** Addresses that are asked for at once. */
const AT_ONCE = 1_000;

async function targetsOf(
  text: string,
  { options: { workerThreads, baseUrl } }: RouteContext,
): Promise<readonly ReferenceTarget[]> {
  return workerThreads !== undefined && isLong({ text })
    ? workerThreads.targets(text)
    : referenceTargets(JSON.parse(text), baseUrl);
}

async function absentIn(
  db: Queryable,
  call: FhirCall,
  found: readonly ReferenceTarget[],
  { options }: RouteContext,
): Promise<Issue[]> {
  const issues: Issue[] = [];
  const access = options.access(call.principal, 'read');
  for (let start = 0; start < found.length && issues.length <= MAX_ISSUES; start += AT_ONCE) {
    const some = found.slice(start, start + AT_ONCE);
    const types = some.map(({ resourceType }) => resourceType);
    const absent = await findAbsent(options.store.from(db, types), some, access);
    for (const { resourceType, id, fields } of some)
      if (absent.has(`${resourceType}/${id}`)) for (const field of fields) issues.push(issueAt(field, resourceType));
  }
  return issues;
}

function issueAt(field: string, resourceType: string): Issue {
  return { message: `${field} refers to a ${resourceType} that is not here`, field, code: 'not-found' };
}
