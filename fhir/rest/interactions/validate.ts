// $validate: the issues that a write of a resource would report, without the write
// (hl7.org/fhir/R5/resource-operation-validate.html; decision E3).

import type { JsonObject } from '#fhir/patch/json-tree.ts';
import { outcomeOfIssues } from '#fhir/resources/operation-outcome.ts';
import { parseWritten, type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import { isLong } from '#fhir/store/threads.ts';
import { correctableIssues, type Issue, ServiceError } from '#lib/errors.ts';
import { requireRight } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import { mayBeConditional } from '../links.ts';
import type { FhirTypeOptions } from '../options.ts';
import { recordAccess } from './access-records.ts';
import type { FhirCall, FhirResponse } from './call.ts';
import { invalidParameter, knownMode, type Mode, readValidateRequest, writtenText } from './validate-request.ts';
import { addressesOf, resolveReferences } from './write/conditional-references.ts';
import { absentTargets } from './write/reference-targets.ts';

const NO_ISSUE = JSON.stringify(outcomeOfIssues([]));

/** What the address says: nothing, a type, or one resource. */
export interface ValidateTarget {
  readonly type: FhirTypeOptions | undefined;
  readonly id: string | undefined;
}

/**
 * Always an OperationOutcome with every error, whatever they are.
 * @throws ServiceError for a request that cannot be read
 */
export async function validate(
  call: FhirCall,
  { target, body }: { readonly target: ValidateTarget; readonly body: ResourceText | undefined },
  context: RouteContext,
): Promise<FhirResponse> {
  const { mode, profiles, resource: brought } = readValidateRequest(call.query, body);
  const given =
    brought === undefined || body === undefined
      ? await storedResource(call, target, context)
      : { resource: brought, text: () => writtenText(call.query, body, brought) };
  const isConditional = body !== undefined && brought !== undefined && mayBeConditional(body.text);
  const { subject, problems } = isConditional
    ? await withTargets(call, given, context)
    : { subject: given, problems: [] };
  const { resource } = subject;
  if (mode === 'delete') return responseOf(call, { resource, target, mode, issues: problems }, context);
  const found = await issuesOf(call, subject, profiles, context);
  const absent = await absentTargets(call.execution.db, call, subject, context);
  return responseOf(call, { resource, target, mode, issues: [...problems, ...found, ...absent] }, context);
}

/** The same of a large body, which is read and validated in a thread. @throws ServiceError as `validate` */
export async function validateLong(
  call: FhirCall,
  { target, bytes }: { readonly target: ValidateTarget; readonly bytes: Uint8Array },
  context: RouteContext,
): Promise<FhirResponse> {
  const { workerThreads } = context.options;
  if (workerThreads === undefined) throw new TypeError('There are no threads');
  const budget = workerThreads.budget(call.principal.id);
  const query = call.query.toString();
  const problems: Issue[] = [];
  let found = await workerThreads.validate({ bytes }, { query, conditional: undefined }, budget);
  if (found.kind === 'references') {
    const conditional = await addressesOf(call, found.references, context).catch((error: unknown) => {
      problems.push(...correctableIssues(error));
      return new Map<string, string>();
    });
    found = await workerThreads.validate({ bytes }, { query, conditional }, budget);
  }
  if (found.kind === 'references') throw new TypeError('The references have been looked up');
  const { resource, checked } = found;
  if (resource === undefined) return validate(call, { target, body: undefined }, context);
  const mode = knownMode(found.mode);
  return responseOf(
    call,
    { resource: { ...resource }, target, mode, issues: [...problems, ...checked.issues] },
    context,
  );
}

/** The resource to validate. */
interface Subject {
  readonly resource: JsonObject;
  /** With its numbers as they were written; made when it is asked for. */
  readonly text: () => string;
  /** Whether it is read in a thread alone: of `resource` there are then its type and id. */
  readonly isLong?: boolean;
}

/** Validates at once, or in a worker thread what the main thread cannot. */
async function issuesOf(
  call: FhirCall,
  { resource, text, isLong: isLongOne = false }: Subject,
  profiles: readonly string[],
  { options: { workerThreads, system } }: RouteContext,
): Promise<readonly Issue[]> {
  if (workerThreads === undefined) return system?.validate(resource, profiles) ?? [];
  const source = { text: '', resourceType: '', resource, members: [] };
  const now = isLongOne ? undefined : workerThreads.checkNow(source, profiles);
  if (now !== undefined) return now;
  const written = { ...source, text: text() };
  return workerThreads.check(workerThreads.share(written, workerThreads.budget(call.principal.id)), profiles);
}

interface ValidateResult {
  readonly resource: JsonObject;
  readonly target: ValidateTarget;
  readonly mode: Mode | undefined;
  readonly issues: readonly Issue[];
}

function responseOf(
  call: FhirCall,
  { resource, target, mode, issues }: ValidateResult,
  context: RouteContext,
): FhirResponse {
  const all = [
    ...issues,
    ...targetIssues(resource, target, mode),
    ...rightIssues(call, { resource, target, mode }, context),
  ];
  return { status: 200, text: all.length === 0 ? NO_ISSUE : JSON.stringify(outcomeOfIssues(all)) };
}

/** The resource with its conditional references resolved, as a write would do it. */
async function withTargets(
  call: FhirCall,
  subject: Subject,
  context: RouteContext,
): Promise<{ readonly subject: Subject; readonly problems: readonly Issue[] }> {
  if (typeof subject.resource['resourceType'] !== 'string') return { subject, problems: [] };
  try {
    const { resource, text } = await resolveReferences(call, readResourceText(subject.text()), context);
    return { subject: { resource, text: () => text }, problems: [] };
  } catch (error) {
    return { subject, problems: correctableIssues(error) };
  }
}

async function storedResource(call: FhirCall, { type, id }: ValidateTarget, context: RouteContext): Promise<Subject> {
  if (type === undefined || id === undefined) throw invalidParameter('resource', 'There is no resource to validate');
  requireRight(call.principal, { type, interaction: 'read' }, context);
  const { store, access } = context.options;
  const version = await store.read(call.execution.db, { resourceType: type.type, id }, access(call.principal, 'read'));
  await recordAccess(
    call,
    { action: 'R', interaction: 'validate', resourceType: type.type, versions: [version] },
    context,
  );
  const { content } = version;
  const isLongOne = context.options.workerThreads !== undefined && isLong({ text: content });
  const resource = isLongOne ? { resourceType: type.type, id } : parseWritten(content);
  return { resource, text: () => content, isLong: isLongOne };
}

function targetIssues(resource: JsonObject, { type, id }: ValidateTarget, mode: Mode | undefined): Issue[] {
  const issues: Issue[] = [];
  if (type !== undefined && resource['resourceType'] !== type.type) {
    issues.push({ message: `The resource must be a ${type.type}`, field: 'resourceType', code: 'value' });
  }
  if (mode === 'update' && id !== undefined && resource['id'] !== id) {
    issues.push({
      message: 'The id of the resource must be the one in the address',
      field: `${type?.type}.id`,
      code: 'value',
    });
  }
  if ((mode === 'update' || mode === 'delete') && id === undefined) {
    issues.push({ message: `mode ${mode} needs the address of one resource`, code: 'required' });
  }
  return issues;
}

/** Whether the caller could make the write that was asked about. */
function rightIssues(
  { principal }: FhirCall,
  {
    resource,
    target,
    mode,
  }: { readonly resource: JsonObject; readonly target: ValidateTarget; readonly mode: Mode | undefined },
  context: RouteContext,
): Issue[] {
  if (mode === undefined || mode === 'profile') return [];
  const name = target.type?.type ?? resource['resourceType'];
  const type = context.options.types.find((each) => each.type === name);
  if (type === undefined) return [];
  if (!type.interactions.includes(mode))
    return [{ message: `${type.type} does not support ${mode}`, code: 'not-supported' }];
  try {
    requireRight(principal, { type, interaction: mode }, context);
    return [];
  } catch (error) {
    if (error instanceof ServiceError) return [{ message: error.message, code: 'forbidden' }];
    throw error;
  }
}
