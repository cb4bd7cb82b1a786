// The routes of $export and $import (HL7 Bulk Data Access 2.0; docs/reference/engine/bulk-export.md, bulk-import.md):
// start a job, poll its status, download its files, delete it.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { queryOf, readParameters } from '#fhir/rest/http/content.ts';
import { readPreferences } from '#fhir/rest/http/preferences.ts';
import { isErrorCode, ServiceError } from '#lib/errors.ts';
import { unpacked } from '#lib/gzip/unpack.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { FHIR_JSON } from '#lib/http/error-handler.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { BASE_PATH } from '../shared/routes.ts';
import type { ExportInput } from './export-request.ts';
import { FILE_TYPE, type FileDependencies, sendFile } from './file-route.ts';
import { exportManifest, importManifest, progressOf } from './manifest.ts';
import type { BulkService, Caller, JobView } from './service.ts';

const FHIR_BODIES = ['application/fhir+json', 'application/json'];
const NDJSON_BODIES = ['application/fhir+ndjson', 'application/ndjson', 'application/x-ndjson'];
/** The schema of the parameters of an operation. */
const PARAMETERS_LIMIT = 1024 * 1024;
const POLL_SECONDS = 2;

const config = { permission: 'fhir:operate' } as const;
const START = { ...config, responseTypes: { 202: null }, errors: ['rate_limited'] } as const;
/** The status of a failed job is its error. */
const STATUS = {
  ...config,
  showsWrites: true,
  responseTypes: { 200: 'application/json', 202: null },
  errors: ['conflict', 'payload_too_large', 'unprocessable'],
} as const;
/** The responses of a file: whole, a range, or 416 for a range behind its end (RFC 9110 §15.5.17). */
const FILE = { ...config, responseTypes: { 200: FILE_TYPE, 206: FILE_TYPE, 416: null } } as const;
const END = { ...config, responseTypes: { 202: null } } as const;
const schemaOf = (summary: string) => ({ tags: ['fhir'], summary });

interface JobRoute {
  Params: { readonly job: string };
}

export interface BulkRouteDependencies extends FileDependencies {
  readonly bulk: BulkService;
  readonly baseUrl: string;
  /** Returns the ids of the patients in a Group that the caller may read. @throws ServiceError `not_found` */
  readonly patientsOfGroup: (caller: Caller, id: string) => Promise<readonly string[]>;
}

export async function registerBulk(app: HttpApp, deps: BulkRouteDependencies): Promise<void> {
  await app.register(
    async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(FHIR_BODIES, { parseAs: 'buffer', bodyLimit: PARAMETERS_LIMIT }, (_r, body, done) =>
        done(null, body),
      );
      scope.addContentTypeParser(NDJSON_BODIES, (_request, payload, done) => done(null, payload));
      registerExport(scope, deps);
      registerImport(scope, deps);
    },
    { prefix: BASE_PATH },
  );
}

const START_METHODS = { allow: 'GET, POST' } as const;

function registerExport(scope: FastifyInstance, deps: BulkRouteDependencies): void {
  const { bulk, baseUrl } = deps;
  const start = async (
    request: FastifyRequest,
    reply: FastifyReply,
    levelOf: (caller: Caller) => Promise<ExportInput['level']>,
  ) => {
    // It asks about a resource and must not start a job.
    if (request.method === 'HEAD')
      throw new ServiceError('method_not_allowed', 'An export is started by GET or POST', { headers: START_METHODS });
    requireAsync(request);
    const caller = callerOf(request);
    const given = new URLSearchParams([...queryOf(request), ...readParameters(request)]);
    const { isStrict } = readPreferences(request.headers['prefer']);
    const url = `${baseUrl}${request.url.slice(BASE_PATH.length)}`;
    const job = await bulk.startExport(caller, { url, given, isStrict, level: await levelOf(caller) });
    return accepted(reply, `${baseUrl}/$export/${job}`);
  };
  const method: ('GET' | 'POST')[] = ['GET', 'POST'];
  scope.route({
    method,
    url: '/$export',
    config: START,
    schema: schemaOf('Export everything that the caller may read'),
    handler: (request, reply) => start(request, reply, async () => 'system'),
  });
  scope.route({
    method,
    url: '/Patient/$export',
    config: START,
    schema: schemaOf('Export the records of patients'),
    handler: (request, reply) => start(request, reply, async () => 'patient'),
  });
  scope.route<{ Params: { readonly id: string } }>({
    method,
    url: '/Group/:id/$export',
    config: START,
    schema: schemaOf('Export the records of the patients of a group'),
    handler: (request, reply) =>
      start(request, reply, async (caller) => ({ patients: await deps.patientsOfGroup(caller, request.params.id) })),
  });
  registerJob(scope, deps, { kind: 'export', manifest: (view) => exportManifest(view, baseUrl) });
}

function registerImport(scope: FastifyInstance, deps: BulkRouteDependencies): void {
  const { bulk, baseUrl } = deps;
  // Large files are decompressed as a stream, with their own limits.
  const own = {
    config: { ...START, keepsEncoding: true, hasNoTimeLimit: true },
    schema: schemaOf('Import resources, one on each line'),
  };
  scope.post('/$import', own, async (request, reply) => {
    requireAsync(request);
    const url = `${baseUrl}${request.url.slice(BASE_PATH.length)}`;
    const job = await bulk.startImport(callerOf(request), url, bodyOf(request));
    return accepted(reply, `${baseUrl}/$import/${job}`);
  });
  registerJob(scope, deps, { kind: 'import', manifest: (view) => importManifest(view, baseUrl) });
}

/** Registers the status of a job, its files, and its deletion. */
function registerJob(
  scope: FastifyInstance,
  deps: BulkRouteDependencies,
  { kind, manifest }: { readonly kind: 'export' | 'import'; readonly manifest: (view: JobView) => object },
): void {
  const { bulk } = deps;
  const url = `/$${kind}/:job`;
  scope.get<JobRoute>(url, { config: STATUS, schema: schemaOf(`How far an ${kind} is`) }, async (request, reply) => {
    const view = await bulk.find(requirePrincipal(request), kind, request.params.job);
    return sendStatus(reply, view, manifest);
  });
  scope.delete<JobRoute>(
    url,
    { config: END, schema: schemaOf(`Cancel an ${kind} that runs; forget one that has ended`) },
    async (request, reply) => {
      await bulk.remove(callerOf(request), kind, request.params.job);
      return reply.code(202).send();
    },
  );
  scope.get<{ Params: { readonly job: string; readonly file: string } }>(
    `${url}/:file`,
    { config: FILE, schema: schemaOf(`A file of an ${kind}`) },
    async (request, reply) => {
      const view = await bulk.find(requirePrincipal(request), kind, request.params.job);
      return sendFile(request, reply, { view, name: request.params.file }, deps);
    },
  );
}

function sendStatus(reply: FastifyReply, view: JobView, manifest: (view: JobView) => object): FastifyReply {
  const { state, fault, fault_code: code } = view.job;
  if (state === 'failed')
    throw new ServiceError(isErrorCode(code) ? code : 'internal_error', fault ?? 'The job failed');
  if (state === 'running') {
    return reply
      .code(202)
      .header('x-progress', progressOf(view.job))
      .header('retry-after', String(POLL_SECONDS))
      .send();
  }
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(manifest(view)));
}

function accepted(reply: FastifyReply, address: string): FastifyReply {
  return reply.code(202).header('content-location', address).type(FHIR_JSON).send();
}

function callerOf(request: FastifyRequest): Caller {
  return { principal: requirePrincipal(request), origin: { address: request.ip, requestId: request.id } };
}

function requireAsync(request: FastifyRequest): void {
  const wishes = [request.headers['prefer'] ?? []].flat().join(',').split(/[,;]/);
  if (wishes.some((wish) => wish.trim() === 'respond-async')) return;
  throw new ServiceError('invalid_request', 'This takes a while and is answered later: send Prefer: respond-async');
}

/** Returns the decompressed body, which may be left before its end. @throws ServiceError `unsupported_media_type` */
function bodyOf(request: FastifyRequest): AsyncIterable<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  const { body } = request;
  if (!(body instanceof Readable)) {
    const message =
      'Send the resources as application/fhir+ndjson, one on each line; addresses to fetch from are not taken';
    throw new ServiceError('unsupported_media_type', message);
  }
  // A request that is destroyed would leave the rest of the body on the connection, before the next request.
  if (encoding === 'identity') return body.iterator({ destroyOnReturn: false });
  if (encoding === 'gzip') return unpacked(body);
  throw new ServiceError('unsupported_media_type', 'The body may be sent as it is or with Content-Encoding: gzip');
}
