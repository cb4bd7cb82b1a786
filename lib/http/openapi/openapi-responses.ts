// The responses of an operation in /openapi.json besides those that its schema declares (decisions G2 and G3). They are
// the errors that follow from the route's declaration, those that the route names, and `default` for errors of any
// request.
import type { RouteOptions } from 'fastify';
import { type Permission, refusals } from '../../auth/permissions.ts';
import { ERROR_CODES, type ErrorCode } from '../../errors.ts';
import { takesActingFor } from '../acting-for.ts';
import type { WireForm } from '../error-handler.ts';
import { statusText } from '../response/status-text.ts';

const FHIR_TYPE = 'application/fhir+json';
const GUARDED_BODY: readonly ErrorCode[] = ['invalid_request', 'payload_too_large', 'unsupported_media_type'];
const ANY_TIME: readonly ErrorCode[] = ['internal_error', 'unavailable'];

/** The schemas and responses that operations refer to. */
export const RESPONSE_COMPONENTS = {
  schemas: {
    Problem: {
      type: 'object',
      required: ['error', 'message'],
      properties: {
        error: { type: 'string', enum: Object.keys(ERROR_CODES) },
        message: { type: 'string' },
        messages: { type: 'array', items: { type: 'string' }, description: 'With `validation_error`: every error' },
      },
    },
    Resource: {
      type: 'object',
      required: ['resourceType'],
      properties: { resourceType: { type: 'string' } },
      description: 'A FHIR R5 resource',
    },
  },
  responses: {
    Error: answer('An error', 'application/json', 'Problem'),
    ErrorOrPage: withPage(answer('An error', 'application/json', 'Problem')),
    OperationOutcome: asEitherJson(answer('An OperationOutcome', FHIR_TYPE, 'Resource')),
    Resource: asEitherJson(answer('The resource or the Bundle', FHIR_TYPE, 'Resource')),
  },
} as const;

export interface ResponseReference {
  readonly $ref: string;
  readonly description?: string;
}

/** A reference to a shared response, or a response with its media type. */
export type OpenResponse =
  | ResponseReference
  | { readonly description: string; readonly content?: Readonly<Record<string, { schema?: object }>> };

/** The error responses by status, and `default`. Their descriptions list the error codes. */
export function errorResponses(route: RouteOptions, method: string, form: WireForm): Record<string, ResponseReference> {
  const byStatus = new Map<string, Set<ErrorCode>>();
  for (const code of form === 'fhir' ? fhirCodesOf(route, method) : errorCodesOf(route)) {
    const status = String(ERROR_CODES[code].status);
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const statuses = [...byStatus].sort(([one], [other]) => Number(one) - Number(other));
  return Object.fromEntries(
    [...statuses, ['default', ANY_TIME] as const].map(([status, codes]) => [
      status,
      {
        $ref: `#/components/responses/${form === 'fhir' ? 'OperationOutcome' : route.config?.hasPages ? 'ErrorOrPage' : 'Error'}`,
        description: listed(codes),
      },
    ]),
  );
}

function listed(codes: Iterable<string>): string {
  return [...codes].map((code) => `\`${code}\``).join(', ');
}

/**
 * The successful responses of an operation whose schema declares none: in FHIR a resource, else the media type in
 * `config.responseType`.
 */
export function openResponses(
  { url, config }: RouteOptions,
  method: string,
  form: WireForm,
): Record<string, OpenResponse> {
  if (config?.responseType !== undefined) {
    const type = config.responseType.startsWith('text/') ? 'string' : 'object';
    const content = { [config.responseType]: { schema: { type } } };
    return {
      200: { description: 'What was asked for', content },
      ...(config.caching === 'revalidated' ? NOT_MODIFIED : {}),
    };
  }
  if (config?.responseTypes !== undefined) return declaredResponses(config.responseTypes);
  if (form !== 'fhir') return {};
  const { response = 'Resource' } = config?.openApi?.(method) ?? {};
  const resource = (description: string) => ({ $ref: `#/components/responses/${response}`, description });
  const found = config?.isNative === true ? BYTES_OR_RESOURCE : resource('What was asked for');
  switch (method) {
    case 'POST':
      return config?.idempotent === true && CREATE_URL.test(url)
        ? {
            201: resource('What was made'),
            ...(config.isUnconditional ? {} : { 200: resource('What was there already (`If-None-Exist`)') }),
          }
        : { 200: resource('What was asked for') };
    case 'PUT':
      return { 200: resource('What was changed'), 201: resource('What was made') };
    case 'DELETE':
      return { 204: { description: 'It is deleted' }, 200: resource('The outcome, where `Prefer` asks for it') };
    default:
      return {
        200: found,
        ...(config?.isConditional || config?.caching === 'revalidated' || config?.caching === 'public'
          ? NOT_MODIFIED
          : {}),
      };
  }
}

function declaredResponses(types: Readonly<Record<number, string | null>>): Record<string, OpenResponse> {
  const stated = Object.entries(types).map(([status, type]): [string, OpenResponse] => [
    status,
    type === null
      ? { description: `${statusText(Number(status))}; there is no body` }
      : { description: 'What was asked for', content: { [type]: { schema: { type: 'object' } } } },
  ]);
  return Object.fromEntries(stated);
}

/** An address of a resource type, to which creates are sent. */
const CREATE_URL = /\/[A-Z]\w+$/;
/** A Binary: its content in any media type, which may be a JSON type, or the resource. */
const BYTES_OR_RESOURCE: OpenResponse = {
  description: 'The content as it is, or the resource where `Accept` asks for FHIR',
  content: { '*/*': {}, ...shapes(FHIR_TYPE, 'Resource') },
};
const NOT_MODIFIED = { 304: { description: 'The caller has it already (`If-None-Match`, `If-Modified-Since`)' } };

function errorCodesOf({ config, schema, url }: RouteOptions): readonly ErrorCode[] {
  const named = config?.errors ?? [];
  const isRead = schema?.body !== undefined || schema?.querystring !== undefined;
  return [
    ...(isRead ? [config?.validationCode ?? 'validation_error'] : []),
    ...(schema?.body === undefined ? [] : ['validation_error' as const, ...GUARDED_BODY]),
    ...refusalsOf(config?.permission),
    ...refusalsOf(config?.ownPermission),
    ...(url.includes('/:') ? (['not_found'] as const) : []),
    ...(config?.idempotent === true ? (['conflict', 'unprocessable'] as const) : []),
    ...named,
  ];
}

/** A permitted caller is still refused for an organisation that is not theirs. */
function refusalsOf(permission: Permission | undefined): readonly ErrorCode[] {
  if (permission === undefined) return [];
  return [...refusals(permission), ...(takesActingFor(permission) ? (['forbidden'] as const) : [])];
}

/** The address of one resource, and its histories and operations. */
const BELOW_INSTANCE = /\/[A-Z]\w+\/:[^/]+(?:\/(?:_history.*|\$[\w-]+))?$/;
const INSTANCE = /\/[A-Z]\w+\/:[^/]+$/;
const OPERATION = /\/\$[\w-]+$/;
/** Errors of the address and of the requested format. */
const READ_ERRORS: readonly ErrorCode[] = ['invalid_request', 'validation_error', 'not_acceptable'];
/** Errors of a write: in what is stored, in references, and in what was sent. */
const WRITE_ERRORS: readonly ErrorCode[] = ['not_found', 'conflict', 'precondition_failed', 'unprocessable'];

/** FHIR routes declare no schemas: their errors follow from method and address. */
function fhirCodesOf({ config, url }: RouteOptions, method: string): readonly ErrorCode[] {
  const isSearch = url.endsWith('/_search');
  const isOperation = OPERATION.test(url);
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const isWrite = (hasBody && !isSearch) || method === 'DELETE';
  return [
    ...READ_ERRORS,
    ...refusalsOf(config?.permission),
    ...(url.includes('/:') ? (['not_found'] as const) : []),
    ...(BELOW_INSTANCE.test(url) && method !== 'PUT' && method !== 'DELETE' ? (['deleted'] as const) : []),
    // An operation on the type, whose name is in the place of an id.
    ...(INSTANCE.test(url) ? (['method_not_allowed'] as const) : []),
    ...(hasBody ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    ...(isWrite ? WRITE_ERRORS : []),
    ...(isOperation ? (['not_found', 'unprocessable'] as const) : []),
    ...(config?.errors ?? []),
  ];
}

/** A client that accepts only plain JSON gets it under that type. */
function asEitherJson<T extends { readonly content: Readonly<Record<string, object>> }>(response: T): T {
  return { ...response, content: { ...response.content, 'application/json': response.content[FHIR_TYPE] } };
}

/** The same response as an HTML page, for a form that a browser has sent. */
export function withPage<T extends { readonly content?: object }>(response: T): T {
  return { ...response, content: { ...response.content, 'text/html': { schema: { type: 'string' } } } };
}

function answer(description: string, type: string, shape: string) {
  return { description, content: shapes(type, shape) };
}

function shapes(type: string, shape: string): Record<string, { schema: { $ref: string } }> {
  return { [type]: { schema: { $ref: `#/components/schemas/${shape}` } } };
}
