// The list, create, read, replace and delete routes that the records of the library and of providers share. Contract
// (contract: engine, "Concepts", "Activities and goals", "Lookup tables", "Providers and provider tasks"; decision G5).
import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { readEntityTags } from '#fhir/rest/http/entity-tags.ts';
import type { Permission } from '#lib/auth/permissions.ts';
import type { ErrorCode } from '#lib/errors.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { type checkedBy, checkedOnSchemaError } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf, sendPage } from '#lib/http/response/page.ts';
import { IdParams } from './fields.ts';
import type { LibraryService, RecordService } from './owned-records.ts';
import { type Replacement, ReplacementHeaders, tagVersion } from './record-versions.ts';
import { BASE_PATH, created } from './routes.ts';

type Summaries = Readonly<Record<'list' | 'create' | 'read' | 'replace', string>>;

/** The summaries of a kind by its name, such as `goal`. */
export function summariesOf(name: string): Summaries {
  return { list: `List ${name}s`, create: `Add a ${name}`, read: `Read a ${name}`, replace: `Replace a ${name}` };
}

/** One kind of record: its path, permissions, schemas and service. */
export interface RecordRoutes<Output extends TSchema, Input extends TSchema, Query extends TSchema> {
  /** Below the base path: `/goals`. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly permissions: { readonly read: Permission; readonly write: Permission };
  readonly schemas: { readonly output: Output; readonly input: Input; readonly query: Query };
  readonly summaries: Summaries;
  /** How bodies are checked beyond their schema; by the schema alone when left out. */
  readonly check?: ReturnType<typeof checkedBy>;
  readonly service: RecordService<Static<Output>, Static<Input>, Static<Query>>;
  guidOf(record: Static<Output>): string;
  /** The version that `ETag` and `If-Match` name. */
  versionOf(record: Static<Output>): number;
  /** Left out where records cannot be deleted. */
  readonly removal?: Removal;
}

/** What the addresses of all kinds of the library have in common. */
export const LIBRARY = {
  tags: ['library'],
  permissions: { read: 'library:read', write: 'library:write' },
} as const;

interface Removal {
  readonly summary: string;
  /** What the document names beside the errors that follow from the route. */
  readonly errors?: readonly ErrorCode[];
  readonly remove: (id: string, by: Replacement) => Promise<void>;
}

/** The routes without the types of one kind, which are checked where its routes are declared. */
type AnyRecordRoutes = RecordRoutes<TSchema, TSchema, TSchema>;

/**
 * Registers GET and POST on the path, and GET, PUT and, with a removal, DELETE on `/{id}` below it. A POST takes an
 * `Idempotency-Key`.
 */
export function registerRecordRoutes<Output extends TSchema, Input extends TSchema, Query extends TSchema>(
  app: HttpApp,
  record: RecordRoutes<Output, Input, Query>,
): void {
  registerCollection(app, record);
  registerRecord(app, record);
  if (record.removal !== undefined) registerRemoval(app, record, record.removal);
}

/** A kind of the library: its service checks bodies beyond their schema, and removes what nothing uses. */
export interface LibraryRoutes<Output extends TSchema, Input extends TSchema, Query extends TSchema>
  extends Pick<RecordRoutes<Output, Input, Query>, 'path' | 'schemas' | 'summaries' | 'guidOf' | 'versionOf'> {
  readonly removal: Omit<Removal, 'remove'>;
}

/** Registers the addresses of one kind of the library, with the permissions of all of them. */
export function registerLibraryRoutes<Output extends TSchema, Input extends TSchema, Query extends TSchema>(
  app: HttpApp,
  service: LibraryService<Static<Output>, Static<Input>, Static<Query>>,
  { removal, ...kind }: LibraryRoutes<Output, Input, Query>,
): void {
  registerRecordRoutes(app, {
    ...kind,
    ...LIBRARY,
    check: checkedOnSchemaError(service.issuesOf),
    service,
    removal: { ...removal, remove: service.remove },
  });
}

function registerCollection(app: HttpApp, record: AnyRecordRoutes): void {
  const { path, tags, permissions, schemas, summaries, check, service } = record;
  const routes = apiRoutes(app, { tags });
  routes.get(
    BASE_PATH + path,
    summaries.list,
    {
      config: { permission: permissions.read },
      schema: { querystring: schemas.query, response: { 200: pageOf(schemas.output) } },
    },
    async (request, reply) => sendPage(request, reply, await service.list(request.query)),
  );
  routes.post(
    BASE_PATH + path,
    summaries.create,
    {
      config: { permission: permissions.write, idempotent: true },
      ...check,
      schema: { body: schemas.input, response: { 201: schemas.output } },
    },
    async (request, reply) => {
      const made = await service.create(request.body, requirePrincipal(request));
      tagVersion(reply, record.versionOf(made));
      return created(reply, `${path}/${record.guidOf(made)}`, made);
    },
  );
}

function registerRecord(
  app: HttpApp,
  { path, tags, permissions, schemas, summaries, check, service, versionOf }: AnyRecordRoutes,
): void {
  const routes = apiRoutes(app, { tags });
  const response = { 200: schemas.output };
  routes.get(
    `${BASE_PATH}${path}/:id`,
    summaries.read,
    { config: { permission: permissions.read }, schema: { params: IdParams, response } },
    async (request, reply) => {
      const found = await service.get(request.params.id);
      tagVersion(reply, versionOf(found));
      return found;
    },
  );
  routes.put(
    `${BASE_PATH}${path}/:id`,
    summaries.replace,
    {
      config: { permission: permissions.write, errors: ['precondition_failed'] },
      ...check,
      schema: {
        params: IdParams,
        headers: ReplacementHeaders,
        body: schemas.input,
        response,
      },
    },
    async (request, reply) => {
      const stored = await service.replace(request.params.id, request.body, replacementOf(request));
      tagVersion(reply, versionOf(stored));
      return stored;
    },
  );
}

function registerRemoval(
  app: HttpApp,
  { path, tags, permissions }: AnyRecordRoutes,
  { summary, errors = [], remove }: Removal,
): void {
  apiRoutes(app, { tags, permission: permissions.write }).remove(`${BASE_PATH}${path}/:id`, summary, {
    config: { errors: [...REMOVAL_ERRORS, ...errors] },
    params: IdParams,
    headers: ReplacementHeaders,
    run: (request) => remove(request.params.id, replacementOf(request)),
  });
}

/** What a DELETE with a header may be refused for, beside the errors of all. */
export const REMOVAL_ERRORS = ['invalid_request', 'precondition_failed'] as const;

/** Who changes the record by the request, and which of its versions. @throws ServiceError `invalid_request` */
export function replacementOf(request: FastifyRequest): Replacement {
  const ifMatch = readEntityTags('If-Match', request.headers['if-match']);
  return { principal: requirePrincipal(request), ifMatch };
}
