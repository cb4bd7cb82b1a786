// The proxy to an external server by name (decision E11). Each call is recorded in the audit first. The server's
// response is forwarded unchanged.

import { isAddressableId } from '#fhir/primitives/primitives.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { Audit } from '#lib/audit/audit.ts';
import type { AuditAction } from '#lib/audit/audit-event.ts';
import type { Database } from '#lib/db/database.ts';
import { notFound, ServiceError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import { withoutMark } from '#lib/json/utf8.ts';
import { type Actor, auditedBy } from '../shared/actor.ts';
import type { UpstreamResponse } from '../shared/upstream/call.ts';
import { pageBelow } from '../shared/upstream/pages.ts';
import type { LinksOf, ResourceHead } from '../shared/upstream/resource-head.ts';
import { type ExpectedResource, readHead, readResponse, type Threads } from '../shared/upstream/response.ts';
import type { ServerDefinition } from '../shared/upstream/server-definition.ts';
import type { Upstream, UpstreamRequest } from '../shared/upstream/upstream.ts';
import { type BatchBody, type BatchWork, readBatch } from './batch-body.ts';
import { PAGE_PARAMETER, searchPath, withOwnLinks } from './search-pages.ts';
import type { ServerService } from './service.ts';

/** The forwarded parts of a response. */
export interface ProxyResponse {
  readonly status: number;
  /** The JSON body; empty when the server sent none. */
  readonly body: Buffer;
  /** `etag` and `last-modified`, if the server sent them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The path of the created resource below the base: `Patient/1`. */
  readonly made?: string;
}

export interface ProxyTarget {
  readonly name: string;
  readonly resourceType: string;
}

export interface ProxyService {
  /** @throws ServiceError `not_found` for an unknown server or type; `upstream_error` */
  search(actor: Actor, target: ProxyTarget, query: string): Promise<ProxyResponse>;
  /** @throws ServiceError `not_found`, `upstream_error` */
  read(actor: Actor, target: ProxyTarget & { readonly id: string }): Promise<ProxyResponse>;
  /** Validates at the server. @throws ServiceError `not_found`, `upstream_error` */
  validate(actor: Actor, name: string, body: Buffer): Promise<ProxyResponse>;
  /** @throws ServiceError `not_found`, `invalid_request`, `upstream_error` */
  create(actor: Actor, target: ProxyTarget, body: Buffer): Promise<ProxyResponse>;
  /** @throws ServiceError `not_found`, `invalid_request`, `upstream_error` */
  update(actor: Actor, target: ProxyTarget & { readonly id: string }, change: ProxyChange): Promise<ProxyResponse>;
  /**
   * Sends the bundle of `{server, bundle}`.
   * @throws ServiceError `invalid_request`, `validation_error`, `not_found`, `upstream_error`
   */
  batch(actor: Actor, body: Buffer): Promise<ProxyResponse>;
  /** @throws ServiceError `not_found`, `upstream_error` */
  terminology(name: string, call: TerminologyCall): Promise<ProxyResponse>;
}

export interface ProxyChange {
  readonly body: Buffer;
  readonly ifMatch: string | undefined;
}

export interface TerminologyCall {
  /** Below the base: `/ValueSet/$expand?url=…`. */
  readonly path: string;
  readonly answers: string;
}

const RESOURCE_BYTES = 10 * 1024 * 1024;
const BUNDLE_BYTES = 50 * 1024 * 1024;
const REPRESENTATION = { prefer: 'return=representation' };

export interface ProxyDependencies {
  readonly servers: ServerService;
  readonly upstream: Upstream;
  readonly audit: Audit;
  readonly database: Database;
  readonly resourceTypes: ReadonlySet<string>;
  /** The engine's public base URL. */
  readonly baseUrl: string;
  /** For long bodies; all are read at once when left out. */
  readonly workerThreads?: WorkerThreads | undefined;
}

export function createProxyService(deps: ProxyDependencies): ProxyService {
  const { servers, upstream, audit, database, resourceTypes, baseUrl, workerThreads } = deps;

  const threadsFor = (owner: string | undefined): Threads =>
    workerThreads && { workerThreads, budget: workerThreads.budget(owner) };

  function pageAddress(server: ServerDefinition, resourceType: string, link: string): string | undefined {
    const page = pageBelow(server, resourceType, link);
    if (page === undefined) return undefined;
    const query = new URLSearchParams({ [PAGE_PARAMETER]: page });
    return `${baseUrl}/servers/${server.name}/search/${resourceType}?${query}`;
  }

  async function locate({ name, resourceType }: ProxyTarget): Promise<ServerDefinition> {
    const server = await servers.definition(name);
    if (!resourceTypes.has(resourceType)) throw notFound(`Resource type '${resourceType}'`);
    return server;
  }

  /** Recorded before the call: a call that cannot be recorded is not made. */
  async function note(actor: Actor, call: CallRecord): Promise<void> {
    const { action, event, name, target, id } = call;
    const isPatient = target === 'Patient' && id !== undefined && isGuid(id);
    const entry = auditedBy(actor, {
      action,
      event: `server.${event}`,
      entities: [`server/${name}`, ...(target === undefined ? [] : [remote(target, id)])],
      ...(isPatient ? { patientGuid: id } : {}),
    });
    if (action === 'R') await audit.recordRead(entry);
    else await database.transaction((tx) => audit.record(tx, entry));
  }

  async function ask(
    server: ServerDefinition,
    request: UpstreamRequest,
    { threads, ...wanted }: Omit<ExpectedResource, 'name'> & { readonly threads: Threads },
  ): Promise<ProxyResponse & { readonly links?: LinksOf | undefined }> {
    const sent = await upstream.send(server, request);
    const answer = { ...sent, body: withoutMark(sent.body) };
    if (answer.body.length === 0 && request.method !== 'GET') return toProxyResponse(answer, server);
    const { links } = await readResponse(answer, { name: server.name, ...wanted }, { threads });
    return { ...toProxyResponse(answer, server), links };
  }

  async function batchIn(body: Buffer, threads: Threads): Promise<BatchBody> {
    if (threads?.workerThreads.isLongBody(body.length, true) !== true) return readBatch(body);
    const work: BatchWork = { kind: 'batch', body };
    return (await threads.workerThreads.perform(work, threads.budget)) as BatchBody;
  }

  return {
    async search(actor, target, query) {
      const server = await locate(target);
      await note(actor, { action: 'R', event: 'search', name: target.name, target: target.resourceType });
      const path = searchPath(server, target.resourceType, query);
      const threads = threadsFor(actor.principal.id);
      const request = { method: 'GET', path, maxBytes: BUNDLE_BYTES } as const;
      const { links, ...found } = await ask(server, request, { types: ['Bundle'], threads });
      const addressOf = (page: string) => pageAddress(server, target.resourceType, page);
      return { ...found, body: withOwnLinks(found.body, links, addressOf) };
    },
    async read(actor, { id, ...target }) {
      const server = await locate(target);
      requireId(id);
      await note(actor, { action: 'R', event: 'read', name: target.name, target: target.resourceType, id });
      const path = `/${target.resourceType}/${id}`;
      const request = { method: 'GET', path, maxBytes: RESOURCE_BYTES } as const;
      return ask(server, request, { types: [target.resourceType], id, threads: threadsFor(actor.principal.id) });
    },
    async validate(actor, name, given) {
      const body = withoutMark(given);
      const threads = threadsFor(actor.principal.id);
      const { validatedType: resourceType } = await readHead(body, threads);
      const server = await locate({ name, resourceType });
      await note(actor, { action: 'E', event: 'validate', name, target: resourceType });
      const path = `/${resourceType}/$validate`;
      // Some servers report a resource's errors by the status, too.
      const request = { method: 'POST', path, body, maxBytes: RESOURCE_BYTES, takes: [412, 422] } as const;
      return { ...(await ask(server, request, { types: ['OperationOutcome'], threads })), status: 200 };
    },
    async create(actor, target, given) {
      const body = withoutMark(given);
      const server = await locate(target);
      const threads = threadsFor(actor.principal.id);
      requireType(await readHead(body, threads), target.resourceType);
      await note(actor, { action: 'C', event: 'create', name: target.name, target: target.resourceType });
      const path = `/${target.resourceType}`;
      const request = {
        method: 'POST',
        path,
        body,
        headers: REPRESENTATION,
        maxBytes: RESOURCE_BYTES,
      } as const;
      return ask(server, request, { types: [target.resourceType, 'OperationOutcome'], threads });
    },
    async update(actor, { id, ...target }, { body: given, ifMatch }) {
      const body = withoutMark(given);
      const server = await locate(target);
      requireId(id);
      const threads = threadsFor(actor.principal.id);
      const head = await readHead(body, threads);
      requireType(head, target.resourceType);
      if (head.id !== id) throw refused(`The id of the resource must be that of the address: ${id}`, 'id');
      await note(actor, { action: 'U', event: 'update', name: target.name, target: target.resourceType, id });
      const headers = { ...REPRESENTATION, ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }) };
      const path = `/${target.resourceType}/${id}`;
      const request = { method: 'PUT', path, body, headers, maxBytes: RESOURCE_BYTES } as const;
      return ask(server, request, { types: [target.resourceType, 'OperationOutcome'], threads });
    },
    async batch(actor, given) {
      const threads = threadsFor(actor.principal.id);
      const { server: name, start, end } = await batchIn(given, threads);
      const body = given.subarray(start, end);
      const server = await servers.definition(name);
      await note(actor, { action: 'E', event: 'batch', name });
      return ask(server, { method: 'POST', path: '', body, maxBytes: BUNDLE_BYTES }, { types: ['Bundle'], threads });
    },
    async terminology(name, { path, answers }) {
      const server = await servers.definition(name);
      if (server.kind !== 'terminology') throw notFound('Terminology service');
      const request = { method: 'GET', path, maxBytes: BUNDLE_BYTES } as const;
      return ask(server, request, { types: [answers], threads: threadsFor(undefined) });
    },
  };
}

interface CallRecord {
  readonly action: AuditAction;
  readonly event: string;
  readonly name: string;
  readonly target?: string;
  readonly id?: string;
}

/** The resource is on the external server, whatever its id. */
function remote(target: string, id: string | undefined): string {
  return id === undefined ? `server-resource:${target}` : `server-resource:${target}/${id}`;
}

function requireId(id: string): void {
  if (!isAddressableId(id)) throw notFound('Resource');
}

function requireType({ resourceType }: ResourceHead, wanted: string): void {
  if (resourceType === wanted) return;
  throw refused(`The resource must be a ${wanted}; it is a ${resourceType}`, 'resourceType');
}

function refused(message: string, field: string): ServiceError {
  return new ServiceError('invalid_request', message, { issues: [{ message, field }] });
}

function toProxyResponse(answer: UpstreamResponse, server: ServerDefinition): ProxyResponse {
  const { etag, 'last-modified': lastModified, location } = answer.headers;
  const made = location === undefined ? undefined : madeBy(location, server);
  return {
    status: answer.status,
    body: answer.body,
    headers: {
      ...(etag === undefined ? {} : { etag }),
      ...(lastModified === undefined ? {} : { 'last-modified': lastModified }),
    },
    ...(made === undefined ? {} : { made }),
  };
}

/** Reads `Patient/1` from `…/Patient/1/_history/2`; undefined for another form. */
function madeBy(location: string, { url }: ServerDefinition): string | undefined {
  const path = URL.parse(location, `${url}/`)?.pathname ?? '';
  const found = /\/([A-Z][A-Za-z]+)\/([A-Za-z0-9.-]{1,64})(?:\/_history\/[^/]+)?$/.exec(path);
  return found === null ? undefined : `${found[1]}/${found[2]}`;
}
