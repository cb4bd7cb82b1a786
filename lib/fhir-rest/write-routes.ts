// Create, update and delete (hl7.org/fhir/R5/http.html#create, #update, #delete): the write, its audit event and what the service adds
// commit together.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { outcomeOfFaults } from '#lib/fhir/operation-outcome.ts';
import { isFhirId } from '#lib/fhir/primitives.ts';
import type { ResourceText } from '#lib/fhir/resource-text.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { answerType, queryOf, readBody } from './content.ts';
import { answer, type RouteContext, recordChange, recordLook, urlOf } from './context.ts';
import type { FhirTypeOptions, PlannedWrite, WriteSteps } from './options.ts';
import { readIfMatch, readPreferences, tellVersion } from './preferences.ts';

interface IdParams {
  readonly id: string;
}

export function registerWriteRoutes(scope: FastifyInstance, type: FhirTypeOptions, context: RouteContext): void {
  const { type: resourceType, write: permission, interactions } = type;
  const route = (summary: string) => ({ config: { permission }, schema: { tags: [resourceType], summary } });
  if (interactions.includes('create')) {
    scope.post(`/${resourceType}`, route(`Create a ${resourceType}`), (request, reply) =>
      create(request, reply, type, context),
    );
  }
  if (interactions.includes('update')) {
    scope.put<{ Params: IdParams }>(
      `/${resourceType}/:id`,
      route(`Update a ${resourceType}, or create it under this id`),
      (request, reply) => update(request, reply, { resourceType, id: request.params.id }, context),
    );
  }
  if (interactions.includes('delete')) {
    scope.delete<{ Params: IdParams }>(`/${resourceType}/:id`, route(`Delete a ${resourceType}`), (request, reply) =>
      remove(request, reply, { resourceType, id: request.params.id }, context),
    );
  }
}

async function create(
  request: FastifyRequest,
  reply: FastifyReply,
  { type: resourceType, search = {} }: FhirTypeOptions,
  context: RouteContext,
): Promise<FastifyReply> {
  const { options } = context;
  const { store, database } = options;
  const principal = requirePrincipal(request);
  answerType(request, queryOf(request));
  const access = options.access(principal, 'create');
  const source = readBody(request, resourceType);
  options.store.check(source);
  const organisation = options.ownerOrganisation(source.resource, principal);
  const ifNoneExist = conditionOf(request);
  const { aliases = new Map<string, string>() } = search;
  // Strict: a condition that is not understood must never be taken as fulfilled.
  const condition = ifNoneExist && store.parse(resourceType, ifNoneExist, { isStrict: true, aliases });
  if (condition?.criteria.length === 0) throw new ServiceError('invalid_request', NO_CONDITION);
  const steps = await plan(
    { interaction: 'create', resourceType, id: undefined, resource: source.resource },
    request,
    context,
  );
  const outcome = await database.transaction(async (tx) => {
    await steps.before?.(tx);
    const created =
      condition === undefined
        ? { kind: 'created' as const, version: await store.create(tx, { source, organisation }) }
        : await store.createUnlessFound(tx, { source, organisation, condition }, { access });
    if (created.kind === 'created')
      await finished(tx, request, { interaction: 'create', version: created.version, steps }, context);
    return created;
  });
  const { kind, version } = outcome;
  if (kind === 'found') {
    await recordLook(request, { action: 'R', interaction: 'read', resourceType, versions: [version] }, context);
  }
  return answerWrite(request, reply, { version, isNew: kind === 'created' }, context);
}

async function update(
  request: FastifyRequest,
  reply: FastifyReply,
  { resourceType, id }: { resourceType: string; id: string },
  context: RouteContext,
): Promise<FastifyReply> {
  const { options } = context;
  const principal = requirePrincipal(request);
  answerType(request, queryOf(request));
  const access = options.access(principal, 'update');
  if (!isFhirId(id)) throw new ServiceError('invalid_request', 'An id has 1 to 64 letters, digits, hyphens and dots');
  const source: ResourceText = readBody(request, resourceType);
  const ifMatch = readIfMatch(request);
  options.store.check(source);
  const organisation = options.ownerOrganisation(source.resource, principal);
  const input = { resourceType, id, source, access, organisation, ...(ifMatch === undefined ? {} : { ifMatch }) };
  const steps = await plan({ interaction: 'update', resourceType, id, resource: source.resource }, request, context);
  const outcome = await options.database.transaction(async (tx) => {
    await steps.before?.(tx);
    const written = await options.store.update(tx, input);
    const interaction = written.kind === 'created' ? 'create' : 'update';
    await finished(tx, request, { interaction, version: written.version, steps }, context);
    return written;
  });
  return answerWrite(request, reply, { version: outcome.version, isNew: outcome.kind === 'created' }, context);
}

async function remove(
  request: FastifyRequest,
  reply: FastifyReply,
  address: { resourceType: string; id: string },
  context: RouteContext,
): Promise<FastifyReply> {
  const { options } = context;
  const access = options.access(requirePrincipal(request), 'delete');
  const ifMatch = readIfMatch(request);
  const steps = await plan({ interaction: 'delete', ...address, resource: undefined }, request, context);
  const version = await options.database.transaction(async (tx) => {
    await steps.before?.(tx);
    const deleted = await options.store.delete(tx, {
      ...address,
      access,
      ...(ifMatch === undefined ? {} : { ifMatch }),
    });
    if (deleted !== undefined) await finished(tx, request, { interaction: 'delete', version: deleted, steps }, context);
    return deleted;
  });
  if (version !== undefined) tellVersion(reply, version);
  return reply.code(204).send();
}

async function plan(write: PlannedWrite, request: FastifyRequest, { options }: RouteContext): Promise<WriteSteps> {
  return (await options.planWrite?.(write, requirePrincipal(request))) ?? {};
}

const ACTIONS = { create: 'C', update: 'U', delete: 'D' } as const;

async function finished(
  tx: Transaction,
  request: FastifyRequest,
  {
    interaction,
    version,
    steps,
  }: { interaction: 'create' | 'update' | 'delete'; version: StoredVersion; steps: WriteSteps },
  context: RouteContext,
): Promise<void> {
  const { resourceType } = version;
  await recordChange(
    tx,
    request,
    { action: ACTIONS[interaction], interaction, resourceType, versions: [version] },
    context,
  );
  await steps.after?.(tx, version);
}

function answerWrite(
  request: FastifyRequest,
  reply: FastifyReply,
  { version, isNew }: { version: StoredVersion; isNew: boolean },
  context: RouteContext,
): FastifyReply {
  tellVersion(reply, version);
  const location = `${urlOf(context, version)}/_history/${version.version}`;
  reply.code(isNew ? 201 : 200).header(isNew ? 'location' : 'content-location', location);
  const { result } = readPreferences(request);
  if (result === 'minimal') return reply.send();
  if (result === 'OperationOutcome') return answer(request, reply, JSON.stringify(outcomeOfFaults([])));
  return answer(request, reply, version.content);
}

/** `_count` or `_sort` alone would be fulfilled by any resource of the type. */
const NO_CONDITION = 'If-None-Exist must hold search parameters';

/** The parameters of If-None-Exist, with or without a `?` or a type in front. */
function conditionOf(request: FastifyRequest): URLSearchParams | undefined {
  const header = request.headers['if-none-exist'];
  if (header === undefined) return undefined;
  const text = Array.isArray(header) ? header.join('&') : header;
  const condition = new URLSearchParams(text.slice(text.indexOf('?') + 1));
  if (condition.size === 0) throw new ServiceError('invalid_request', NO_CONDITION);
  return condition;
}
