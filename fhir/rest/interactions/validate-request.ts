// Parses a request of $validate: mode, profiles and resource, in the query, in a Parameters or as the body itself
// (hl7.org/fhir/R5/resource-operation-validate.html).

import { parseExactJson } from '#fhir/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import { ServiceError } from '#lib/errors.ts';

const MODES = ['create', 'update', 'delete', 'profile'] as const;
export type Mode = (typeof MODES)[number];

export interface ValidateRequest {
  readonly mode: Mode | undefined;
  readonly profiles: readonly string[];
  /** Undefined: the one that is stored. */
  readonly resource: JsonObject | undefined;
}

/** The mode of this name. */
export function knownMode(name: string | undefined): Mode | undefined {
  return MODES.find((each) => each === name);
}

/** @throws ServiceError `invalid_request` for parameters that say nothing */
export function readValidateRequest(query: URLSearchParams, body: ResourceText | undefined): ValidateRequest {
  if (query.size === 0 && body !== undefined && body.resourceType !== 'Parameters') {
    return { mode: undefined, profiles: [], resource: body.resource };
  }
  const isParameters = body?.resourceType === 'Parameters';
  const given: unknown = isParameters ? body.resource['parameter'] : undefined;
  const parameters = Array.isArray(given) ? given.filter(isJsonObject) : [];
  const named = (name: string) => parameters.filter((parameter) => parameter['name'] === name);
  const texts = (name: string) => [...query.getAll(name), ...named(name).map((each) => textOf(each, name))];
  const [mode] = texts('mode');
  const known = knownMode(mode);
  if (mode !== undefined && known === undefined)
    throw invalidParameter('mode', `mode must be one of ${MODES.join(', ')}`);
  const profiles = texts('profile');
  if (known === 'profile' && profiles.length === 0) throw invalidParameter('profile', 'mode profile needs a profile');
  const inParameters = named('resource')[0]?.['resource'];
  if (isParameters && inParameters !== undefined && !isJsonObject(inParameters))
    throw invalidParameter('resource', 'resource must be a resource');
  const resource = isParameters ? inParameters : body?.resource;
  return { mode: known, profiles, resource: isJsonObject(resource) ? resource : undefined };
}

/** The text of the resource that a body brings, with its numbers as they were written. */
export function writtenText(query: URLSearchParams, body: ResourceText, resource: JsonObject): string {
  if (resource === body.resource) return body.text;
  const exact = parseExactJson(body.text);
  const within = isJsonObject(exact) ? readValidateRequest(query, { ...body, resource: exact }).resource : undefined;
  return JSON.stringify(within ?? resource);
}

/** The kind of text does not matter: clients differ. @throws ServiceError for a parameter without one */
function textOf(parameter: JsonObject, name: string): string {
  const kinds = ['valueCanonical', 'valueUri', 'valueUrl', 'valueCode', 'valueString'];
  const text = kinds.map((kind) => parameter[kind]).find((value) => value !== undefined);
  if (typeof text === 'string') return text;
  throw invalidParameter(
    name,
    `The parameter ${name} needs a value: ${name === 'mode' ? 'valueCode' : 'valueCanonical'}`,
  );
}

export function invalidParameter(field: string, message: string): ServiceError {
  return new ServiceError('invalid_request', message, { issues: [{ message, field, code: 'value' }] });
}
