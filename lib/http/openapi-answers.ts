// What /openapi.json says an address answers beside its own outcomes (decisions G2 and G3): the errors that follow from how the route is
// declared, those that it names itself, and `default` for what can befall any request.
import type { RouteOptions } from 'fastify';
import { refusals } from '../auth/permissions.ts';
import { ERROR_CODES, type ErrorCode } from '../errors.ts';
import type { WireForm } from './error-handler.ts';

const FHIR_TYPE = 'application/fhir+json';
const GUARDED_BODY: readonly ErrorCode[] = ['invalid_request', 'payload_too_large', 'unsupported_media_type'];
const ANY_TIME: readonly ErrorCode[] = ['internal_error', 'unavailable'];

/** The shapes that the answers below refer to. */
export const ANSWER_COMPONENTS = {
  schemas: {
    Error: {
      type: 'object',
      required: ['error', 'message'],
      properties: {
        error: { type: 'string', enum: Object.keys(ERROR_CODES) },
        message: { type: 'string' },
        messages: { type: 'array', items: { type: 'string' }, description: 'With `validation_error`: every fault' },
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
    Error: answer('An error', 'application/json', 'Error'),
    OperationOutcome: answer('An OperationOutcome', FHIR_TYPE, 'Resource'),
    Resource: answer('The resource or the Bundle', FHIR_TYPE, 'Resource'),
  },
} as const;

export interface Answer {
  readonly $ref: string;
  readonly description: string;
}

/** By status, and `default`; the reference page shows the codes of a status as its description. */
export function errorAnswers(route: RouteOptions, form: WireForm): Record<string, Answer> {
  const byStatus = new Map<string, Set<ErrorCode>>();
  for (const code of errorCodesOf(route, form)) {
    const status = String(ERROR_CODES[code].status);
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const statuses = [...byStatus].sort(([one], [other]) => Number(one) - Number(other));
  return Object.fromEntries(
    [...statuses, ['default', ANY_TIME] as const].map(([status, codes]) => [
      status,
      {
        $ref: `#/components/responses/${form === 'fhir' ? 'OperationOutcome' : 'Error'}`,
        description: [...codes].map((code) => `\`${code}\``).join(', '),
      },
    ]),
  );
}

/** What a FHIR address answers when it says nothing of it: a resource, after a POST to its type a new one. */
export function resourceAnswers({ method, url, config }: RouteOptions): Record<string, Answer> {
  const isMaking = method === 'POST' && config?.idempotent === true && /\/[A-Z]\w+$/.test(url);
  const description = isMaking ? 'What was made' : 'What was asked for';
  return { [isMaking ? '201' : '200']: { $ref: '#/components/responses/Resource', description } };
}

function errorCodesOf({ config, schema, url }: RouteOptions, form: WireForm): readonly ErrorCode[] {
  const named = config?.errors ?? [];
  // The addresses of FHIR are thousands: they name what is their own, the rest is FHIR's.
  if (form === 'fhir') return named;
  const isRead = schema?.body !== undefined || schema?.querystring !== undefined;
  return [
    ...(isRead ? [config?.validationCode ?? 'validation_error'] : []),
    ...(schema?.body === undefined ? [] : ['validation_error' as const, ...GUARDED_BODY]),
    ...(config?.permission === undefined ? [] : refusals(config.permission)),
    ...(url.includes('/:') ? (['not_found'] as const) : []),
    ...(config?.idempotent === true ? (['conflict', 'unprocessable'] as const) : []),
    ...named,
  ];
}

function answer(description: string, type: string, shape: string) {
  return { description, content: { [type]: { schema: { $ref: `#/components/schemas/${shape}` } } } };
}
