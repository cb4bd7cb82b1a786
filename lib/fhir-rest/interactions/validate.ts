// $validate: what a write of a resource would be told, without the write (hl7.org/fhir/R5/resource-operation-validate.html; decision E3).
import type { Fault } from '#lib/errors.ts';
import { ServiceError } from '#lib/errors.ts';
import { outcomeOfFaults } from '#lib/fhir/operation-outcome.ts';
import { isJsonObject, type JsonObject } from '#lib/fhir/patch/json-tree.ts';
import { type ResourceText, readResourceText } from '#lib/fhir/resource-text.ts';
import { requireRight } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import { mayBeConditional } from '../links.ts';
import type { FhirTypeOptions } from '../options.ts';
import type { FhirAnswer, FhirCall } from './call.ts';
import { resolveReferences } from './conditional-references.ts';
import { recordLook } from './looks.ts';
import { absentTargets } from './reference-targets.ts';

const MODES = ['create', 'update', 'delete', 'profile'] as const;
type Mode = (typeof MODES)[number];

const NO_FAULT = JSON.stringify(outcomeOfFaults([]));

interface Wanted {
  readonly mode: Mode | undefined;
  readonly profiles: readonly string[];
  /** Undefined: the one that is stored. */
  readonly resource: JsonObject | undefined;
}

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
  const wanted = readWanted(call.query, body);
  const given = wanted.resource ?? (await storedResource(call, target, context));
  const { resource, problems } = await withTargets(call, { resource: given, body }, context);
  const faults = [
    ...problems,
    ...(wanted.mode === 'delete' ? [] : (context.options.system?.validate(resource, wanted.profiles) ?? [])),
    ...(wanted.mode === 'delete' ? [] : await absentTargets(call.workplace.db, call, resource, context)),
    ...targetFaults(resource, target, wanted.mode),
    ...rightFaults(call, { resource, target, mode: wanted.mode }, context),
  ];
  return { status: 200, text: faults.length === 0 ? NO_FAULT : JSON.stringify(outcomeOfFaults(faults)) };
}

/** The resource with its conditional references resolved, as a write would do it. */
async function withTargets(
  call: FhirCall,
  { resource, body }: { readonly resource: JsonObject; readonly body: ResourceText | undefined },
  context: RouteContext,
): Promise<{ readonly resource: JsonObject; readonly problems: readonly Fault[] }> {
  if (body === undefined || !mayBeConditional(body.text) || typeof resource['resourceType'] !== 'string')
    return { resource, problems: [] };
  try {
    const source = readResourceText(JSON.stringify(resource));
    return { resource: (await resolveReferences(call, source, context)).resource, problems: [] };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    return { resource, problems: error.faults.length > 0 ? error.faults : [{ message: error.message }] };
  }
}

function readWanted(query: URLSearchParams, body: ResourceText | undefined): Wanted {
  if (query.size === 0 && body !== undefined && body.resourceType !== 'Parameters') {
    return { mode: undefined, profiles: [], resource: body.resource };
  }
  const isParameters = body?.resourceType === 'Parameters';
  const given: unknown = isParameters ? body.resource['parameter'] : undefined;
  const parameters = Array.isArray(given) ? given.filter(isJsonObject) : [];
  const named = (name: string) => parameters.filter((parameter) => parameter['name'] === name);
  const texts = (name: string) => [...query.getAll(name), ...named(name).map((each) => textOf(each, name))];
  const [mode] = texts('mode');
  const known = MODES.find((each) => each === mode);
  if (mode !== undefined && known === undefined) throw faulty('mode', `mode must be one of ${MODES.join(', ')}`);
  const profiles = texts('profile');
  if (known === 'profile' && profiles.length === 0) throw faulty('profile', 'mode profile needs a profile');
  const inParameters = named('resource')[0]?.['resource'];
  if (isParameters && inParameters !== undefined && !isJsonObject(inParameters))
    throw faulty('resource', 'resource must be a resource');
  const resource = isParameters ? inParameters : body?.resource;
  return { mode: known, profiles, resource: isJsonObject(resource) ? resource : undefined };
}

/** The kind of text does not matter: clients differ. @throws ServiceError for a parameter without one */
function textOf(parameter: JsonObject, name: string): string {
  const kinds = ['valueCanonical', 'valueUri', 'valueUrl', 'valueCode', 'valueString'];
  const text = kinds.map((kind) => parameter[kind]).find((value) => value !== undefined);
  if (typeof text === 'string') return text;
  throw faulty(name, `The parameter ${name} needs a value: ${name === 'mode' ? 'valueCode' : 'valueCanonical'}`);
}

async function storedResource(
  call: FhirCall,
  { type, id }: ValidateTarget,
  context: RouteContext,
): Promise<JsonObject> {
  if (type === undefined || id === undefined) throw faulty('resource', 'There is no resource to validate');
  requireRight(call.principal, { type, interaction: 'read' }, context);
  const { store, access } = context.options;
  const version = await store.read(call.workplace.db, { resourceType: type.type, id }, access(call.principal, 'read'));
  await recordLook(
    call,
    { action: 'R', interaction: 'validate', resourceType: type.type, versions: [version] },
    context,
  );
  const resource: unknown = JSON.parse(version.content);
  return isJsonObject(resource) ? resource : {};
}

function targetFaults(resource: JsonObject, { type, id }: ValidateTarget, mode: Mode | undefined): Fault[] {
  const faults: Fault[] = [];
  if (type !== undefined && resource['resourceType'] !== type.type) {
    faults.push({ message: `The resource must be a ${type.type}`, field: 'resourceType', issue: 'value' });
  }
  if (mode === 'update' && id !== undefined && resource['id'] !== id) {
    faults.push({
      message: 'The id of the resource must be the one in the address',
      field: `${type?.type}.id`,
      issue: 'value',
    });
  }
  if ((mode === 'update' || mode === 'delete') && id === undefined) {
    faults.push({ message: `mode ${mode} needs the address of one resource`, issue: 'required' });
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
    return [{ message: `${type.type} does not support ${mode}`, issue: 'not-supported' }];
  try {
    requireRight(principal, { type, interaction: mode }, context);
    return [];
  } catch (error) {
    if (error instanceof ServiceError) return [{ message: error.message, issue: 'forbidden' }];
    throw error;
  }
}

function faulty(field: string, message: string): ServiceError {
  return new ServiceError('invalid_request', message, { faults: [{ message, field, issue: 'value' }] });
}
