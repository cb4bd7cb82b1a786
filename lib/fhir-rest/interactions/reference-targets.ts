// Whether what is written refers to resources that are there, when the service asks for it (`checksReferences`). It is looked at in the
// transaction of the write and after it, so that resources may refer to themselves and to others of the same transaction.
import type { Queryable } from '#lib/db/database.ts';
import { type Fault, messageOf, ServiceError } from '#lib/errors.ts';
import { isJsonObject } from '#lib/fhir/patch/json-tree.ts';
import { parseReference } from '#lib/fhir/references.ts';
import { findAbsent } from '#lib/fhir-store/existence.ts';
import type { ResourceAddress } from '#lib/fhir-store/lookup.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import type { RouteContext } from '../context.ts';
import type { FhirCall } from './call.ts';

interface FoundReference extends ResourceAddress {
  /** As a FHIRPath expression: `Observation.subject.reference`. */
  readonly field: string;
}

/** @throws ServiceError `unprocessable` naming every reference to what the caller does not see */
export async function requireTargets(
  db: Queryable,
  call: FhirCall,
  version: StoredVersion,
  context: RouteContext,
): Promise<void> {
  if (context.options.checksReferences !== true || version.isDeleted) return;
  const faults = await absentTargets(db, call, JSON.parse(version.content), context);
  if (faults.length > 0) throw new ServiceError('unprocessable', messageOf(faults), { faults });
}

/** A fault for each reference to a resource of this server that is not there, or that the caller may not see. */
export async function absentTargets(
  db: Queryable,
  call: FhirCall,
  resource: unknown,
  { options }: RouteContext,
): Promise<Fault[]> {
  if (options.checksReferences !== true || !isJsonObject(resource)) return [];
  const found: FoundReference[] = [];
  collect(resource, String(resource['resourceType']), options.baseUrl, found);
  if (found.length === 0) return [];
  const absent = await findAbsent(db, found, options.access(call.principal, 'read'));
  return found
    .filter(({ resourceType, id }) => absent.has(`${resourceType}/${id}`))
    .map(({ field, resourceType }) => ({
      message: `${field} refers to a ${resourceType} that is not here`,
      field,
      issue: 'not-found',
    }));
}

function collect(value: unknown, place: string, baseUrl: string, found: FoundReference[]): void {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) collect(each, `${place}[${index}]`, baseUrl, found);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const field = `${place}.${name}`;
    if (name !== 'reference' || typeof member !== 'string') {
      collect(member, field, baseUrl, found);
      continue;
    }
    const parsed = parseReference(member, baseUrl);
    if (parsed?.kind === 'relative') {
      found.push({ field, resourceType: parsed.type, id: parsed.id });
    }
  }
}
