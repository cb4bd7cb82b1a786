// Addresses of the lookup tables (contract: engine, "Lookup tables").
import Type from 'typebox';
import { requirePrincipal } from '#lib/http/app.ts';
import { judgedBy } from '#lib/http/fitness.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf } from '#lib/http/response/page.ts';
import { IdParams } from '../shared/fields.ts';
import { BASE_PATH, created, sendPage } from '../shared/routes.ts';
import { LookupQuery } from './schema.ts';
import type { LookupService } from './service.ts';
import type { LookupFields, LookupTable } from './tables.ts';

const read = { permission: 'library:read' } as const;
const write = { permission: 'library:write' } as const;
const create = { ...write, idempotent: true } as const;
const tags = ['library'];

export function registerLookup(app: HttpApp, spec: LookupTable, service: LookupService): void {
  const all = BASE_PATH + spec.path;
  app.get(
    all,
    {
      config: read,
      schema: {
        tags,
        summary: `List ${spec.what} entries`,
        querystring: LookupQuery,
        response: { 200: pageOf(spec.output) },
      },
    },
    async (request, reply) => sendPage(request, reply, await service.list(request.query)),
  );
  app.post(
    all,
    {
      config: create,
      ...judged(spec),
      schema: { tags, summary: `Add a ${spec.what}`, body: spec.input, response: { 201: spec.output } },
    },
    async (request, reply) => {
      const entry = await service.create(fieldsOf(request.body), requirePrincipal(request));
      return created(reply, `${spec.path}/${String(entry[`${spec.table}_guid`])}`, entry);
    },
  );
  registerEntry(app, spec, service);
  if (spec.users !== undefined) registerDeletion(app, spec, service);
}

function registerEntry(app: HttpApp, spec: LookupTable, service: LookupService): void {
  const one = `${BASE_PATH}${spec.path}/:id`;
  app.get(
    one,
    {
      config: read,
      schema: { tags, summary: `Read a ${spec.what}`, params: IdParams, response: { 200: spec.output } },
    },
    async (request) => service.get(request.params.id),
  );
  app.put(
    one,
    {
      config: write,
      ...judged(spec),
      schema: {
        tags,
        summary: `Replace a ${spec.what}`,
        params: IdParams,
        body: spec.input,
        response: { 200: spec.output },
      },
    },
    async (request) => service.replace(request.params.id, fieldsOf(request.body), requirePrincipal(request)),
  );
}

function registerDeletion(app: HttpApp, spec: LookupTable, service: LookupService): void {
  app.delete(
    `${BASE_PATH}${spec.path}/:id`,
    {
      config: { ...write, errors: ['conflict'] },
      schema: {
        tags,
        summary: `Delete a ${spec.what} that nothing uses`,
        params: IdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await service.remove(request.params.id, requirePrincipal(request));
      return reply.code(204).send(null);
    },
  );
}

/** Of most tables the schema tells everything. */
function judged({ check }: LookupTable) {
  return check === undefined ? {} : judgedBy(check);
}

/** A validated body as fields. */
function fieldsOf(body: unknown): LookupFields {
  return typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
}
