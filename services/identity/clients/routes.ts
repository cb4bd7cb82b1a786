// /api/admin/clients (docs/adr/0054): registered clients, for SU admins only. POST /api/auth/clients/introspect:
// dispatch and the engine ask which client the credentials belong to.
import type { Static } from 'typebox';
import { IntrospectBody, Introspection } from '#clients/client-source.ts';
import type { ClientCall } from '#lib/auth/principal.ts';
import { TOKEN_AUDIENCE } from '#lib/auth/token-verifier.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { type BodyFields, checkedOnSchemaError } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { registerList } from '../shared/routes/list-route.ts';
import { offsetTimestamp, optionalTimestamp } from '../time.ts';
import {
  ChangeBody,
  ClientItem,
  ClientParams,
  ClientWithSecret,
  CreateBody,
  RemovedResponse,
  RotateBody,
} from './schema.ts';
import type { Client, Clients, NewClient } from './service.ts';

const ALL = '/api/admin/clients';
const ONE = `${ALL}/:client_id`;
const GROUP = { tags: ['clients'], permission: 'client:administer' } as const;

export function registerClientRoutes(app: HttpApp, clients: Clients): void {
  registerAll(app, clients);
  registerOne(app, clients);
  registerSecret(app, clients);
  registerStates(app, clients);
  registerIntrospection(app, clients);
}

function registerAll(app: HttpApp, clients: Clients): void {
  const routes = apiRoutes(app, GROUP);
  registerList(routes, ALL, 'All clients: those of the configuration, then those on record by their ids', {
    item: ClientItem,
    count: clients.count,
    read: (_actor, range) => clients.list(range),
    toItem,
  });
  routes.post(
    ALL,
    'Put a client on record; the answer alone shows its secret',
    {
      config: { idempotent: true, errors: ['conflict'] },
      ...checkedOnSchemaError((fields) => clients.issuesOf(partsOf(fields))),
      schema: { body: CreateBody, response: { 201: ClientWithSecret } },
    },
    async (request, reply) => {
      const { client, secret } = await clients.create(actorOf(request), newClientOf(request.body));
      reply.header('cache-control', 'no-store');
      return reply.code(201).send({ ...toItem(client), ...(secret === undefined ? {} : { client_secret: secret }) });
    },
  );
}

function registerOne(app: HttpApp, clients: Clients): void {
  const routes = apiRoutes(app, GROUP);
  routes.get(
    ONE,
    'One client',
    { config: { errors: ['validation_error'] }, schema: { params: ClientParams, response: { 200: ClientItem } } },
    async (request) => toItem(await clients.read(request.params.client_id)),
  );
  routes.put(
    ONE,
    'Replace name, audience, calls and redirect addresses of a client',
    {
      config: { errors: ['conflict'] },
      ...checkedOnSchemaError((fields) => clients.issuesOf(partsOf(fields))),
      schema: { params: ClientParams, body: ChangeBody, response: { 200: ClientItem } },
    },
    async (request) => toItem(await clients.change(actorOf(request), request.params.client_id, request.body)),
  );
  routes.delete(
    ONE,
    'Delete a client; its sign-ins under way and its tokens end',
    {
      config: { errors: ['conflict', 'validation_error'] },
      schema: { params: ClientParams, response: { 200: RemovedResponse } },
    },
    async (request) => {
      const { client_id } = request.params;
      await clients.remove(actorOf(request), client_id);
      return { message: 'The client is deleted', client_id };
    },
  );
}

function registerSecret(app: HttpApp, clients: Clients): void {
  const routes = apiRoutes(app, GROUP);
  routes.post(
    `${ONE}/rotate-secret`,
    'Replace the secret; the answer alone shows the new one',
    {
      config: { idempotent: true, errors: ['conflict'] },
      schema: { params: ClientParams, body: RotateBody, response: { 200: ClientWithSecret } },
    },
    async (request, reply) => {
      const { grace_hours: graceHours = 0 } = request.body;
      const { client, secret } = await clients.rotate(actorOf(request), request.params.client_id, graceHours);
      reply.header('cache-control', 'no-store');
      return { ...toItem(client), ...(secret === undefined ? {} : { client_secret: secret }) };
    },
  );
}

function registerStates(app: HttpApp, clients: Clients): void {
  const routes = apiRoutes(app, GROUP);
  const states = [
    ['disable', 'Disable a client; its sign-ins under way and its tokens end', clients.disable],
    ['enable', 'Enable a client', clients.enable],
  ] as const;
  for (const [name, summary, change] of states) {
    routes.post(
      `${ONE}/${name}`,
      summary,
      {
        config: { errors: ['conflict', 'validation_error'] },
        schema: { params: ClientParams, response: { 200: ClientItem } },
      },
      async (request) => toItem(await change(actorOf(request), request.params.client_id)),
    );
  }
}

function registerIntrospection(app: HttpApp, clients: Clients): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'client:introspect' });
  routes.post(
    '/api/auth/clients/introspect',
    'Which client shows these credentials; for dispatch and the engine',
    { config: { errors: ['rate_limited'] }, schema: { body: IntrospectBody, response: { 200: Introspection } } },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { client_id: clientId, client_secret: clientSecret, address } = request.body;
      const client = await clients.introspect({ clientId, clientSecret }, address);
      if (client === undefined) return { active: false as const };
      return { active: true as const, client_id: client.clientId, kind: client.kind, calls: [...client.calls] };
    },
  );
}

function newClientOf(body: Static<typeof CreateBody>): NewClient {
  const { client_id: clientId, name, kind, public: isPublic = false, audience = TOKEN_AUDIENCE, redirects = [] } = body;
  const { reauthenticate = false } = body;
  const usual: readonly ClientCall[] = kind === 'application' && !isPublic ? ['user:read'] : [];
  return {
    clientId,
    name: name.trim(),
    kind,
    isPublic,
    audience,
    calls: body.calls ?? usual,
    redirects,
    reauthenticate,
  };
}

/** The parts of a body that can be validated although its schema has failed. */
function partsOf({ kind, public: isPublic, calls, redirects }: BodyFields): Parameters<Clients['issuesOf']>[0] {
  return {
    ...(kind === 'service' || kind === 'application' ? { kind } : {}),
    isPublic: isPublic === true,
    calls: textsOf(calls),
    redirects: textsOf(redirects),
  };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function toItem(client: Client): Static<typeof ClientItem> {
  const { previousSecretUntil } = client;
  return {
    client_id: client.clientId,
    name: client.name,
    kind: client.kind,
    public: client.isPublic,
    audience: client.audience,
    calls: [...client.calls],
    redirects: [...client.redirects],
    reauthenticate: client.reauthenticate ?? false,
    status: client.disabledAt === null ? 'enabled' : 'disabled',
    managed_by: client.managedBy,
    created_at: optionalTimestamp(client.createdAt),
    created_by: client.createdBy,
    last_rotated_at: optionalTimestamp(client.rotatedAt),
    previous_secret_valid_until: previousSecretUntil === null ? null : offsetTimestamp(previousSecretUntil),
    last_used_at: optionalTimestamp(client.lastUsedAt),
  };
}
