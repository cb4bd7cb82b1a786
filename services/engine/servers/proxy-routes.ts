// Routes of the proxy to external servers (contract: engine, "External server integration"). FHIR JSON passes unchanged
// in both directions. Errors have the plain form, with the server's own outcome (decision E11).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { keepBodiesRaw, queryOf, requireResource } from '#fhir/rest/http/content.ts';
import { ServiceError } from '#lib/errors.ts';
import { FHIR_JSON } from '#lib/http/error-handler.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../shared/actor.ts';
import { BASE_PATH } from '../shared/routes.ts';
import type { ProxyResponse, ProxyService } from './proxy-service.ts';
import { type TerminologyRequest, terminologyCall } from './terminology-call.ts';

interface TypeRoute {
  Params: { readonly server_name: string; readonly resource_type: string };
}
interface InstanceRoute {
  Params: TypeRoute['Params'] & { readonly resource_id: string };
}
interface ServerRoute {
  Params: { readonly server_name: string };
}
interface TerminologyRoute {
  Params: { readonly service_name: string };
}

const TYPE = '/servers/:server_name/:resource_type';
const INSTANCE = `${TYPE}/:resource_id`;
const BUNDLE_LIMIT = 50 * 1024 * 1024;
const errors = ['upstream_error'] as const;
const READ = { permission: 'server:read-records', errors: [...errors, 'invalid_request'] } as const;
const WRITE = {
  permission: 'server:write-records',
  // The server that a batch names may not exist.
  errors: [...errors, 'invalid_request', 'not_found', 'payload_too_large', 'unsupported_media_type'],
} as const;
const ASK = { permission: 'server:ask-terminology', errors: [...errors, 'validation_error'] } as const;
const TERMINOLOGY_OPERATIONS: readonly TerminologyRequest[] = ['expand', 'lookup', 'validate-code'];

const schemaOf = (summary: string, status: '200' | '201' = '200') => ({
  tags: ['external servers'],
  summary,
  response: {
    [status]: {
      description: 'What the server answered',
      content: { 'application/fhir+json': { schema: { type: 'object' } } },
    },
  },
});

export async function registerServerProxy(app: HttpApp, proxy: ProxyService): Promise<void> {
  await app.register(
    async (scope) => {
      keepBodiesRaw(scope);
      // The forwarded body is text already.
      scope.setSerializerCompiler(() => (data: unknown) => String(data));
      registerReads(scope, proxy);
      registerWrites(scope, proxy);
      registerTerminology(scope, proxy);
    },
    { prefix: BASE_PATH },
  );
}

function registerReads(scope: FastifyInstance, proxy: ProxyService): void {
  scope.get<TypeRoute>(
    '/servers/:server_name/search/:resource_type',
    { config: READ, schema: schemaOf('Search on an external server') },
    async (request, reply) =>
      sendResponse(reply, await proxy.search(actorOf(request), targetOf(request), queryOf(request).toString())),
  );
  scope.get<InstanceRoute>(
    INSTANCE,
    { config: READ, schema: schemaOf('Read from an external server') },
    async (request, reply) =>
      sendResponse(reply, await proxy.read(actorOf(request), { ...targetOf(request), id: request.params.resource_id })),
  );
  scope.post<ServerRoute>(
    '/servers/:server_name/validate',
    {
      config: { ...WRITE, permission: READ.permission },
      schema: schemaOf('Have an external server validate a resource'),
    },
    async (request, reply) =>
      sendResponse(reply, await proxy.validate(actorOf(request), request.params.server_name, requireBody(request))),
  );
}

function registerWrites(scope: FastifyInstance, proxy: ProxyService): void {
  scope.post<TypeRoute>(
    TYPE,
    { config: { ...WRITE, idempotent: true }, schema: schemaOf('Create on an external server', '201') },
    async (request, reply) => {
      const target = targetOf(request);
      const made = await proxy.create(actorOf(request), target, requireBody(request));
      if (made.made !== undefined) reply.header('location', `${BASE_PATH}/servers/${target.name}/${made.made}`);
      return sendResponse(reply, made);
    },
  );
  scope.put<InstanceRoute>(
    INSTANCE,
    { config: WRITE, schema: schemaOf('Update on an external server') },
    async (request, reply) => {
      const target = { ...targetOf(request), id: request.params.resource_id };
      const change = { body: requireBody(request), ifMatch: request.headers['if-match'] };
      return sendResponse(reply, await proxy.update(actorOf(request), target, change));
    },
  );
  scope.post(
    '/batch',
    { config: WRITE, schema: schemaOf('Carry out a Bundle on an external server'), bodyLimit: BUNDLE_LIMIT },
    async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      return sendResponse(reply, await proxy.batch(actorOf(request), body));
    },
  );
}

function registerTerminology(scope: FastifyInstance, proxy: ProxyService): void {
  for (const question of TERMINOLOGY_OPERATIONS) {
    scope.get<TerminologyRoute>(
      `/terminology/:service_name/${question}`,
      { config: ASK, schema: schemaOf(`Ask a terminology service to ${question.replace('-', ' a ')}`) },
      async (request, reply) =>
        sendResponse(
          reply,
          await proxy.terminology(request.params.service_name, terminologyCall(question, queryOf(request))),
        ),
    );
  }
}

function targetOf({ params }: FastifyRequest<TypeRoute>): { name: string; resourceType: string } {
  return { name: params.server_name, resourceType: params.resource_type };
}

function requireBody(request: FastifyRequest): Buffer {
  const { body } = request;
  if (!Buffer.isBuffer(body) || body.length === 0)
    throw new ServiceError('invalid_request', 'The body must be a FHIR resource; it is empty');
  requireResource(request);
  return body;
}

function sendResponse(reply: FastifyReply, { status, body, headers }: ProxyResponse): FastifyReply {
  return reply.code(status).headers(headers).type(FHIR_JSON).send(body);
}
