// Whether what is written refers to resources that are there, when the service asks for it (`checksReferences`). It is looked at in the
// transaction of the write and after it, so that resources may refer to themselves and to others of the same transaction.

import { isLong } from '#fhir/store/aside.ts';
import { findAbsent } from '#fhir/store/read/existence.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { MAX_FAULTS } from '#fhir/validation/fault-list.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Fault, messageOf, ServiceError } from '#lib/errors.ts';
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
  const faults = await absentIn(db, call, await targetsOf(version.content, context), context);
  if (faults.length > 0) throw new ServiceError('unprocessable', messageOf(faults), { faults });
}

/** A fault for each reference to a resource of this server that is not there, or that the caller may not see. Of a long one the text is read. */
export async function absentTargets(
  db: Queryable,
  call: FhirCall,
  {
    resource,
    text,
    isLong: isLongOne,
  }: { readonly resource: unknown; readonly text: () => string; readonly isLong?: boolean },
  context: RouteContext,
): Promise<Fault[]> {
  const { checksReferences, baseUrl } = context.options;
  if (checksReferences !== true) return [];
  const found = isLongOne === true ? await targetsOf(text(), context) : referenceTargets(resource, baseUrl);
  return absentIn(db, call, found, context);
}

/** Addresses that are asked for at once. */
const AT_ONCE = 1_000;

async function targetsOf(
  text: string,
  { options: { aside, baseUrl } }: RouteContext,
): Promise<readonly ReferenceTarget[]> {
  return aside !== undefined && isLong({ text }) ? aside.targets(text) : referenceTargets(JSON.parse(text), baseUrl);
}

async function absentIn(
  db: Queryable,
  call: FhirCall,
  found: readonly ReferenceTarget[],
  { options }: RouteContext,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  const access = options.access(call.principal, 'read');
  for (let start = 0; start < found.length && faults.length <= MAX_FAULTS; start += AT_ONCE) {
    const some = found.slice(start, start + AT_ONCE);
    const absent = await findAbsent(db, some, access);
    for (const { resourceType, id, fields } of some)
      if (absent.has(`${resourceType}/${id}`)) for (const field of fields) faults.push(faultAt(field, resourceType));
  }
  return faults;
}

function faultAt(field: string, resourceType: string): Fault {
  return { message: `${field} refers to a ${resourceType} that is not here`, field, code: 'not-found' };
}
