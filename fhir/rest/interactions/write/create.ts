// Create, and conditional create (hl7.org/fhir/R5/http.html#create, #ccreate).
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { RouteContext } from '../../context.ts';
import type { FhirTypeOptions } from '../../options.ts';
import { recordAccess } from '../access-records.ts';
import type { FhirCall, FhirResponse } from '../call.ts';
import { admitted } from './admitted.ts';
import { createCompanions } from './companions.ts';
import { readNoneExist, resolve } from './condition.ts';
import { resolveReferences } from './conditional-references.ts';
import { completeWrite, hasNoSteps, planWrite, writeResponse } from './writing.ts';

/** @throws ServiceError `unprocessable`, `precondition_failed`, `invalid_request`, and what the service refuses with */
export async function create(
  call: FhirCall,
  { type, source: given }: { readonly type: FhirTypeOptions; readonly source: ResourceText },
  context: RouteContext,
): Promise<FhirResponse> {
  const { options } = context;
  const { ifNoneExist } = call.conditions;
  options.access(call.principal, 'create');
  const whole = await resolveReferences(call, given, context);
  const placed = await admitted(call, { source: whole, interaction: 'create' }, context);
  const { source, organisation, companion } = placed;
  const condition = ifNoneExist === undefined ? undefined : readNoneExist(call, ifNoneExist, type, context);
  const write = { interaction: 'create', resourceType: type.type, id: undefined, resource: source.resource } as const;
  const steps = await planWrite(call, write, context);
  const { groups } = call.execution;
  const isPlain = companion === undefined && placed.written === undefined && hasNoSteps(steps);
  if (condition === undefined && groups !== undefined && isPlain) {
    const { version } = await groups.create(call, { source, organisation });
    return writeResponse(call, { version, isNew: true }, context);
  }
  const { found, version } = await call.execution.transaction(async (tx) => {
    await steps.before?.(tx);
    const known = condition && (await resolve(tx, condition, call, context));
    if (known !== undefined) return { found: true, version: known };
    const created = await options.store.create(tx, { source, organisation });
    const hasCheckedReferences = companion !== undefined;
    await completeWrite(tx, call, { interaction: 'create', version: created, steps, hasCheckedReferences }, context);
    await createCompanions(tx, call, [{ version: created, placed }], context);
    return { found: false, version: created };
  });
  if (found) {
    await recordAccess(
      call,
      { action: 'R', interaction: 'read', resourceType: type.type, versions: [version] },
      context,
    );
  }
  const answer = await writeResponse(call, { version, isNew: !found }, context);
  return found ? { ...answer, isFound: true } : answer;
}
