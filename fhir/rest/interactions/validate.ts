// $validate: what a write of a resource would be told, without the write (hl7.org/fhir/R5/resource-operation-validate.html; decision E3).

import type { JsonObject } from '#fhir/patch/json-tree.ts';
import { outcomeOfFaults } from '#fhir/resources/operation-outcome.ts';
import { parseWritten, type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import { isLong } from '#fhir/store/aside.ts';
import type { Fault } from '#lib/errors.ts';
import { ServiceError } from '#lib/errors.ts';
import { requireRight } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import { mayBeConditional } from '../links.ts';
import type { FhirTypeOptions } from '../options.ts';
import type { FhirAnswer, FhirCall } from './call.ts';
import { recordLook } from './looks.ts';
import { faulty, knownMode, type Mode, readWanted, writtenText } from './validate-wanted.ts';
import { addressesOf, resolveReferences } from './write/conditional-references.ts';
import { absentTargets } from './write/reference-targets.ts';

const NO_FAULT = JSON.stringify(outcomeOfFaults([]));

/** What the address says: nothing, a type, or one resource. */
export interface ValidateTarget {
  readonly type: FhirTypeOptions | undefined;
  readonly id: string | undefined;
}

/** Always an OperationOutcome with every fault, whatever they are. @throws ServiceError for a request that cannot be read */
export async function validate(
  call: FhirCall,
  { target, body }: { readonly target: ValidateTarget; readonly body: ResourceText | undefined },
  context: RouteContext,
): Promise<FhirAnswer> {
  const { mode, profiles, resource: brought } = readWanted(call.query, body);
  const given =
    brought === undefined || body === undefined
      ? await storedResource(call, target, context)
      : { resource: brought, text: () => writtenText(call.query, body, brought) };
  const isConditional = body !== undefined && brought !== undefined && mayBeConditional(body.text);
  const { subject, problems } = isConditional
    ? await withTargets(call, given, context)
    : { subject: given, problems: [] };
  const { resource } = subject;
  if (mode === 'delete') return answerOf(call, { resource, target, mode, faults: problems }, context);
  const found = await faultsOf(call, subject, profiles, context);
  const absent = await absentTargets(call.workplace.db, call, subject, context);
  return answerOf(call, { resource, target, mode, faults: [...problems, ...found, ...absent] }, context);
}

/** The same of a large body, which is read and validated in a thread. @throws ServiceError as `validate` */
export async function validateLong(
  call: FhirCall,
  { target, bytes }: { readonly target: ValidateTarget; readonly bytes: Uint8Array },
  context: RouteContext,
): Promise<FhirAnswer> {
  const { aside } = context.options;
  if (aside === undefined) throw new TypeError('There are no threads');
  const budget = aside.budget(call.principal.id);
  const query = call.query.toString();
  const problems: Fault[] = [];
  let found = await aside.validate({ bytes }, { query, conditional: undefined }, budget);
  if (found.kind === 'references') {
    const conditional = await addressesOf(call, found.references, context).catch((error: unknown) => {
      problems.push(...problemsOf(error));
      return new Map<string, string>();
    });
    found = await aside.validate({ bytes }, { query, conditional }, budget);
  }
  if (found.kind === 'references') throw new TypeError('The references have been looked up');
  const { resource, checked } = found;
  if (resource === undefined) return validate(call, { target, body: undefined }, context);
  const mode = knownMode(found.mode);
  return answerOf(call, { resource: { ...resource }, target, mode, faults: [...problems, ...checked.faults] }, context);
}

/** What is to be judged. */
interface Subject {
  readonly resource: JsonObject;
  /** With its numbers as they were written; made when it is asked for. */
  readonly text: () => string;
  /** Whether it is read in a thread alone: of `resource` there are then its type and id. */
  readonly isLong?: boolean;
}

/** At once, or in a thread where the main thread cannot tell. */
async function faultsOf(
  call: FhirCall,
  { resource, text, isLong: isLongOne = false }: Subject,
  profiles: readonly string[],
  { options: { aside, system } }: RouteContext,
): Promise<readonly Fault[]> {
  if (aside === undefined) return system?.validate(resource, profiles) ?? [];
  const source = { text: '', resourceType: '', resource, members: [] };
  const now = isLongOne ? undefined : aside.checkNow(source, profiles);
  if (now !== undefined) return now;
  const written = { ...source, text: text() };
  return aside.check(aside.share(written, aside.budget(call.principal.id)), profiles);
}

interface Judged {
  readonly resource: JsonObject;
  readonly target: ValidateTarget;
  readonly mode: Mode | undefined;
  readonly faults: readonly Fault[];
}

function answerOf(call: FhirCall, { resource, target, mode, faults }: Judged, context: RouteContext): FhirAnswer {
  const all = [
    ...faults,
    ...targetFaults(resource, target, mode),
    ...rightFaults(call, { resource, target, mode }, context),
  ];
  return { status: 200, text: all.length === 0 ? NO_FAULT : JSON.stringify(outcomeOfFaults(all)) };
}

/** The resource with its conditional references resolved, as a write would do it. */
async function withTargets(
  call: FhirCall,
  subject: Subject,
  context: RouteContext,
): Promise<{ readonly subject: Subject; readonly problems: readonly Fault[] }> {
  if (typeof subject.resource['resourceType'] !== 'string') return { subject, problems: [] };
  try {
    const { resource, text } = await resolveReferences(call, readResourceText(subject.text()), context);
    return { subject: { resource, text: () => text }, problems: [] };
  } catch (error) {
    return { subject, problems: problemsOf(error) };
  }
}

/** @throws the error when it is none that a caller can mend */
function problemsOf(error: unknown): readonly Fault[] {
  if (!(error instanceof ServiceError) || error.status >= 500) throw error;
  return error.faults.length > 0 ? error.faults : [{ message: error.message }];
}

async function storedResource(call: FhirCall, { type, id }: ValidateTarget, context: RouteContext): Promise<Subject> {
  if (type === undefined || id === undefined) throw faulty('resource', 'There is no resource to validate');
  requireRight(call.principal, { type, interaction: 'read' }, context);
  const { store, access } = context.options;
  const version = await store.read(call.workplace.db, { resourceType: type.type, id }, access(call.principal, 'read'));
  await recordLook(
    call,
    { action: 'R', interaction: 'validate', resourceType: type.type, versions: [version] },
    context,
  );
  const { content } = version;
  const isLongOne = context.options.aside !== undefined && isLong({ text: content });
  const resource = isLongOne ? { resourceType: type.type, id } : parseWritten(content);
  return { resource, text: () => content, isLong: isLongOne };
}

function targetFaults(resource: JsonObject, { type, id }: ValidateTarget, mode: Mode | undefined): Fault[] {
  const faults: Fault[] = [];
  if (type !== undefined && resource['resourceType'] !== type.type) {
    faults.push({ message: `The resource must be a ${type.type}`, field: 'resourceType', code: 'value' });
  }
  if (mode === 'update' && id !== undefined && resource['id'] !== id) {
    faults.push({
      message: 'The id of the resource must be the one in the address',
      field: `${type?.type}.id`,
      code: 'value',
    });
  }
  if ((mode === 'update' || mode === 'delete') && id === undefined) {
    faults.push({ message: `mode ${mode} needs the address of one resource`, code: 'required' });
  }
  return faults;
}

/** Whether the caller could make the write that was asked about. */
function rightFaults(
  { principal }: FhirCall,
  {
    resource,
    target,
    mode,
  }: { readonly resource: JsonObject; readonly target: ValidateTarget; readonly mode: Mode | undefined },
  context: RouteContext,
): Fault[] {
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
