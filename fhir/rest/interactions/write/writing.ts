// What every write has in common: the service's own steps, the audit event in the write's transaction, and the answer
// that is preferred.

import type { JsonObject } from '#fhir/patch/json-tree.ts';
import { outcomeOfIssues } from '#fhir/resources/operation-outcome.ts';
import { parseWritten } from '#fhir/resources/resource-text.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { isLong } from '#fhir/store/threads.ts';
import { hasErrors } from '#fhir/validation/validate.ts';
import type { Transaction } from '#lib/db/database.ts';
import type { Issue } from '#lib/errors.ts';
import { type RouteContext, urlOf } from '../../context.ts';
import type { PlannedWrite, WriteSteps } from '../../options.ts';
import { recordChange } from '../access-records.ts';
import type { FhirCall, FhirResponse } from '../call.ts';
import { requireTargets } from './reference-targets.ts';

const ACTIONS = { create: 'C', update: 'U', patch: 'U', delete: 'D' } as const;

export interface Change {
  readonly interaction: keyof typeof ACTIONS;
  readonly version: StoredVersion;
  readonly steps: WriteSteps;
  /** The service has checked the references. */
  readonly hasCheckedReferences?: boolean;
}

/** Lets the service prepare what belongs to the write, before its transaction. @throws ServiceError to refuse */
export async function planWrite(call: FhirCall, write: PlannedWrite, { options }: RouteContext): Promise<WriteSteps> {
  return (await options.planWrite?.(write, call.principal)) ?? {};
}

/**
 * Of a write that is part of a transaction the ids were asked for before it began.
 * @throws ServiceError `not_found`, `upstream_unavailable`
 */
export async function guardId(
  { principal, execution }: FhirCall,
  address: { readonly resourceType: string; readonly id: unknown },
  { options }: RouteContext,
): Promise<void> {
  const { resourceType, id } = address;
  if (execution.within === undefined && typeof id === 'string')
    await options.guardIds?.require(principal, [{ resourceType, id }]);
}

/** Whether nothing else belongs to the write, so that it may go together with others'. */
export function hasNoSteps({ before, after }: WriteSteps): boolean {
  return before === undefined && after === undefined;
}

/** Records the change and runs the service's last step, in the write's transaction. */
export async function completeWrite(
  tx: Transaction,
  call: FhirCall,
  { interaction, version, steps, hasCheckedReferences = false }: Change,
  context: RouteContext,
): Promise<void> {
  const { resourceType } = version;
  const change = { action: ACTIONS[interaction], interaction, resourceType, versions: [version] };
  await recordChange(tx, call, [change], context);
  // A transaction's entries may refer to each other: they are looked at together, at its end.
  if (call.execution.within === undefined && !hasCheckedReferences) await requireTargets(tx, call, version, context);
  await steps.after?.(tx, version);
}

/**
 * What the validation of a resource that was accepted has said. The write may be committed already. So it is not
 * refused when the validator is busy, gives up or ends. One information issue then says that the warnings are not
 * known.
 */
async function warningsOf(
  { principal, execution }: FhirCall,
  { content: text, resourceType }: StoredVersion,
  { options: { workerThreads, system } }: RouteContext,
): Promise<readonly Issue[]> {
  if (system === undefined) return [];
  const resource: JsonObject = workerThreads !== undefined && isLong({ text }) ? {} : parseWritten(text);
  if (workerThreads === undefined) return system.validate(resource).filter(isNoError);
  const source = { text, resourceType, resource, members: [] };
  // In a transaction others wait for its connection, and it does not wait for its turn.
  const budgetFor = execution.within === undefined ? workerThreads.patientBudget : workerThreads.budget;
  try {
    const issues =
      workerThreads.checkNow(source) ??
      (await workerThreads.check(workerThreads.share(source, budgetFor(principal.id))));
    return issues.filter(isNoError);
  } catch {
    return [WARNINGS_UNKNOWN];
  }
}

const WARNINGS_UNKNOWN: Issue = {
  severity: 'information',
  code: 'incomplete',
  message: 'The resource was accepted; the warnings about it could not be worked out. $validate reports them',
};

function isNoError(issue: Issue): boolean {
  return !hasErrors([issue]);
}

/**
 * The answer to a write: 201 for what is new, 200 for what is replaced (or was found), with the body that is preferred.
 */
export async function writeResponse(
  call: FhirCall,
  { version, isNew }: { readonly version: StoredVersion; readonly isNew: boolean },
  context: RouteContext,
): Promise<FhirResponse> {
  const { result } = call.preferences;
  const location = `${urlOf(context, version)}/_history/${version.version}`;
  const answer = { status: isNew ? 201 : 200, version, location } as const;
  switch (result) {
    case 'minimal':
      return answer;
    case 'OperationOutcome':
      return { ...answer, text: JSON.stringify(outcomeOfIssues(await warningsOf(call, version, context))) };
    case 'representation':
      return { ...answer, text: version.content };
    default:
      return result satisfies never;
  }
}
