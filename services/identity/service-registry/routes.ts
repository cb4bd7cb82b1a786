// GET and PUT /api/admin/oath-overview (contract: identity, Admin; decision I14).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { varyBy } from '#lib/http/response/vary.ts';
import { actorOf } from '../actor.ts';
import { DOCUMENT_NAME, type ServiceRegistry } from './service.ts';

/** Notes may have several lines; characters that PostgreSQL cannot store are refused. */
const Cell = Type.String({
  maxLength: 2000,
  pattern: '^[^\\u0000\\p{Cs}]*$',
  patternHint: 'must hold no NUL character and no half of a surrogate pair',
});
const Row = Type.Object(
  {
    service_name: Cell,
    service_url: Cell,
    api_health_url: Cell,
    capability_statement_url: Cell,
    endpoints_url: Cell,
    privilege_level: Cell,
    notes: Cell,
  },
  { title: 'RegisteredService', additionalProperties: false },
);
const Rows = Type.Array(Row);
const Conditions = Type.Object({
  'if-match': Type.Optional(
    Type.String({ maxLength: 200, description: 'The ETag of what was read: 412 when somebody has changed it since' }),
  ),
});

export function registerServiceRegistryRoutes(app: HttpApp, registry: ServiceRegistry): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  routes.get(
    '/api/admin/oath-overview',
    'The service registry, as JSON or (Accept: text/csv) as the CSV document',
    {
      schema: {
        response: {
          200: { content: { 'application/json': { schema: Rows }, 'text/csv': { schema: Type.String() } } },
        },
      },
    },
    async (request, reply) => {
      varyBy(reply, 'Accept');
      if (!wantsCsv(request.headers.accept)) {
        const { rows, tag } = await registry.rows();
        return reply.header('etag', tag).send(rows);
      }
      return reply
        .header('content-type', 'text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${DOCUMENT_NAME}"`)
        .send(await registry.document());
    },
  );
  routes.put(
    '/api/admin/oath-overview',
    'Replace the service registry, all or nothing',
    {
      config: { errors: ['precondition_failed'] },
      schema: { headers: Conditions, body: Type.Array(Row, { maxItems: 1000 }), response: { 200: Rows } },
    },
    async (request) => {
      await registry.replace(actorOf(request), request.body, request.headers['if-match']);
      return request.body;
    },
  );
}

/** Whether `Accept` prefers CSV to JSON; weight 0 means not acceptable (RFC 9110 §12.4.2). */
function wantsCsv(accept = ''): boolean {
  const ranges = accept.toLowerCase().split(',');
  const wanted = ranges.filter((range) => !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range));
  const named = wanted.map((range) => range.split(';')[0]?.trim());
  const csv = named.indexOf('text/csv');
  const json = named.indexOf('application/json');
  return csv >= 0 && (json < 0 || csv < json);
}
