// HTTP of the requester's operations under /ServiceRequest (contract: dispatch, "Endpoints"; decisions D2, D3).
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { idOfReference, objectsOf } from '#fhir/json/objects.ts';
import { readEntityTags } from '#fhir/rest/http/entity-tags.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { Issue } from '#lib/errors.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { type BodyFields, checkedBy, checkedOnSchemaError } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { sendJsonTexts } from '#lib/http/long-text.ts';
import { type Actor, actorOf } from '../shared/actor.ts';
import type { RawBodyOf } from '../shared/json-body.ts';
import { sendResource } from '../shared/responses.ts';
import { IdParams } from '../shared/wire.ts';
import type { DraftInput, DraftService } from './draft-service.ts';
import type { Finalize } from './finalize-service.ts';
import { SnapshotBody } from './snapshot.ts';
import type { TransitionService } from './transition-service.ts';

export interface ServiceRequestRoutes {
  readonly drafts: DraftService;
  readonly finalize: Finalize;
  readonly transitions: TransitionService;
  readonly bodyText: RawBodyOf;
  /** The public address of `/api/v1`. */
  readonly baseUrl: string;
}

const DraftBody = Type.Object(
  {
    careplan_guid: Type.Optional(Type.String({ minLength: 1, description: 'The CarePlan to make it from' })),
    resourceType: Type.Optional(Type.Literal('ServiceRequest')),
  },
  {
    additionalProperties: true,
    description: '{careplan_guid}, or a FHIR ServiceRequest whose basedOn names a CarePlan',
  },
);
const NoBody = Type.Object({}, { additionalProperties: false });
const RevokeBody = Type.Object(
  { reason: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })) },
  { additionalProperties: false },
);

const TAGS = ['ServiceRequest'];
const plan = { permission: 'request:plan' } as const;

export function registerServiceRequestRoutes(app: HttpApp, routes: ServiceRequestRoutes): void {
  registerDraftRoutes(app, routes);
  registerSnapshotRoutes(app, routes);
  registerTransitionRoutes(app, routes);
}

function registerDraftRoutes(app: HttpApp, { drafts, bodyText, baseUrl }: ServiceRequestRoutes): void {
  const schema = { tags: TAGS, summary: 'Make a draft from a CarePlan', body: DraftBody };
  const options = { ...checkedBy(draftIssues), config: { ...plan, idempotent: true }, schema };
  app.post('/ServiceRequest', options, async (request, reply) => {
    const version = await drafts.create(actorOf(request), readDraft(request.body, bodyText(request)));
    reply.code(201).header('location', `${baseUrl}/ServiceRequest/${version.id}`);
    return sendResource(reply, version);
  });
}

function registerSnapshotRoutes(app: HttpApp, { drafts, bodyText }: ServiceRequestRoutes): void {
  const routes = apiRoutes(app, { tags: TAGS });
  routes.get(
    '/ServiceRequest/:id/snapshot',
    'Read the snapshot',
    { config: { permission: 'request:read', responseType: 'application/json' }, schema: { params: IdParams } },
    async (request, reply) => {
      const { text, version } = await drafts.readSnapshot(actorOf(request), request.params.id);
      return sendSnapshot(reply, text, version);
    },
  );
  routes.put(
    '/ServiceRequest/:id/snapshot',
    'Replace the snapshot of a draft',
    {
      // Of a body that is no object, or none at all, the schema says everything.
      ...checkedOnSchemaError((_fields, request) =>
        typeof request.body === 'object' && request.body !== null
          ? drafts.snapshotIssues(actorOf(request), bodyText(request))
          : [],
      ),
      config: { ...plan, responseType: 'application/json' },
      schema: { params: IdParams, body: SnapshotBody },
    },
    async (request, reply) => {
      const ifMatch = readEntityTags('If-Match', request.headers['if-match']);
      const input = { body: bodyText(request), ifMatch };
      const { text, version } = await drafts.replaceSnapshot(actorOf(request), request.params.id, input);
      return sendSnapshot(reply, text, version);
    },
  );
}

function registerTransitionRoutes(app: HttpApp, { finalize, transitions }: ServiceRequestRoutes): void {
  const routes = apiRoutes(app, { tags: TAGS });
  const register = (operation: string, summary: string, work: (actor: Actor, id: string) => Promise<StoredVersion>) =>
    app.post(
      `/ServiceRequest/:id/${operation}`,
      { config: plan, schema: { tags: TAGS, summary, params: IdParams, body: NoBody } },
      async (request: FastifyRequest<{ Params: Static<typeof IdParams> }>, reply: FastifyReply) =>
        sendResource(reply, await work(actorOf(request), request.params.id)),
    );
  register('finalize', 'Freeze a draft and make it active', finalize);
  register('hold', 'Put an active request on hold', transitions.hold);
  register('resume', 'Resume a request that is on hold', transitions.resume);
  register('archive', 'Archive a request with nothing open', transitions.archive);
  routes.post(
    '/ServiceRequest/:id/revoke',
    'Revoke a request that nobody has accepted',
    { config: plan, schema: { params: IdParams, body: RevokeBody } },
    async (request, reply) =>
      sendResource(reply, await transitions.revoke(actorOf(request), request.params.id, request.body.reason)),
  );
}

function sendSnapshot(reply: FastifyReply, text: string, version: number): FastifyReply {
  return sendJsonTexts(reply.header('etag', `W/"${version}"`), [text]);
}

/** What the schema does not say: the plain form has `careplan_guid` alone, a resource names the CarePlan in basedOn. */
function draftIssues(fields: BodyFields): Issue[] {
  if (fields['resourceType'] !== undefined) {
    if (carePlanOf(fields) !== undefined) return [];
    const message = 'basedOn must name the CarePlan that the request is made from';
    return [{ field: 'ServiceRequest.basedOn', message, code: 'required' }];
  }
  const unknown = Object.keys(fields)
    .filter((field) => field !== 'careplan_guid')
    .map((field): Issue => ({ field, message: `'${field}' is not a known field` }));
  if (fields['careplan_guid'] !== undefined) return unknown;
  return [...unknown, { field: 'careplan_guid', message: "'careplan_guid' is required", code: 'required' }];
}

function carePlanOf(resource: BodyFields): string | undefined {
  return objectsOf(resource['basedOn'])
    .map((reference) => idOfReference(reference, 'CarePlan'))
    .find((id) => id !== undefined);
}

/** Reads a body without {@link draftIssues}. */
function readDraft(fields: Static<typeof DraftBody>, text: string): DraftInput {
  if (fields.resourceType !== undefined) return { careplanGuid: carePlanOf(fields) ?? '', body: text };
  return { careplanGuid: (fields.careplan_guid ?? '').replace(/^CarePlan\//, ''), body: undefined };
}
