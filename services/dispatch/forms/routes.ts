// HTTP of forms: those attached to a ServiceRequest, and the catalogue of the plan service (contract: dispatch,
// "Endpoints"; decision D12).
import Type, { type Static } from 'typebox';
import { RENDER_READY_SCHEMA } from '#fhir/forms/render-ready-form.ts';
import { type ApiRoutes, apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { sendJsonTexts } from '#lib/http/long-text.ts';
import { makePage, PageQuery, pageOf, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { pageOfList } from '../shared/responses.ts';
import { IdParams, nullable } from '../shared/wire.ts';
import type { AttachmentService } from './attachment-service.ts';
import type { CatalogueService } from './catalogue-service.ts';
import { ANSWERED_BY, type CatalogueEntry, type FormAttachment } from './schema.ts';

const Attachment = Type.Object(
  {
    form_attachment_guid: Type.String(),
    form_guid: Type.String(),
    title: Type.String(),
    position: Type.Integer(),
    answered_by: Type.Enum([...ANSWERED_BY]),
    due: nullable(Type.String({ format: 'date' })),
  },
  { title: 'FormAttachment' },
);
const CatalogueItem = Type.Object(
  {
    form_guid: Type.String(),
    title: Type.String(),
    version: nullable(Type.String()),
    status: Type.String(),
    url: nullable(Type.String()),
  },
  { title: 'CatalogueForm' },
);
const CataloguePage = Type.Object(
  {
    ...pageOf(CatalogueItem).properties,
    stale: Type.Boolean(),
    as_of: Type.String({ format: 'date-time' }),
  },
  { title: 'CatalogueFormPage' },
);
const AttachBody = Type.Object(
  {
    form_guid: Type.String({ minLength: 1 }),
    answered_by: Type.Optional(
      Type.Enum([...ANSWERED_BY], {
        description: 'Who is to answer it: `provider` when left out. Providers get no form for the patient',
      }),
    ),
    due: Type.Optional(Type.String({ format: 'date', description: 'By when the patient is to answer' })),
  },
  { title: 'FormAttachmentInput', additionalProperties: false },
);
const ReorderBody = Type.Object(
  { ordered_guids: Type.Array(Type.String(), { maxItems: 1000 }) },
  { additionalProperties: false },
);
const AttachmentParams = Type.Object({ id: Type.String(), form_attachment_guid: Type.String() });
const PageQuerystring = Type.Object(PageQuery, { additionalProperties: false });

const TAGS = ['Forms'];
const SCHEMA_TEXT = JSON.stringify(RENDER_READY_SCHEMA);

/** The addresses under /ServiceRequest/{id}/forms. */
export function registerAttachmentRoutes(app: HttpApp, attachments: AttachmentService): void {
  const routes = apiRoutes(app, { tags: TAGS, permission: 'request:plan' });
  routes.get(
    '/ServiceRequest/:id/forms',
    'Forms of a request, in order',
    {
      config: { permission: 'request:read' },
      schema: { params: IdParams, querystring: PageQuerystring, response: { 200: pageOf(Attachment) } },
    },
    async (request, reply) => {
      const attached = await attachments.list(actorOf(request), request.params.id);
      return pageOfList(request, reply, attached, toAttachment);
    },
  );
  routes.post(
    '/ServiceRequest/:id/forms',
    'Attach a form to a draft',
    { config: { idempotent: true }, schema: { params: IdParams, body: AttachBody, response: { 201: Attachment } } },
    async (request, reply) => {
      const { form_guid: formGuid, answered_by: answeredBy = 'provider', due } = request.body;
      const attached = await attachments.attach(actorOf(request), request.params.id, { formGuid, answeredBy, due });
      return reply.code(201).send(toAttachment(attached));
    },
  );
  registerOrderRoutes(routes, attachments);
}

function registerOrderRoutes(routes: ApiRoutes, attachments: AttachmentService): void {
  routes.remove('/ServiceRequest/:id/forms/:form_attachment_guid', 'Take a form off a draft', {
    params: AttachmentParams,
    run: async (request) => {
      const { id, form_attachment_guid: guid } = request.params;
      await attachments.remove(actorOf(request), id, guid);
    },
  });
  routes.post(
    '/ServiceRequest/:id/forms/reorder',
    'Put the forms of a draft into another order',
    { schema: { params: IdParams, body: ReorderBody, response: { 200: pageOf(Attachment) } } },
    async (request) => {
      const guids = request.body.ordered_guids;
      const ordered = await attachments.reorder(actorOf(request), request.params.id, guids);
      return makePage(ordered.map(toAttachment), ordered.length, { page: 1, per_page: Math.max(ordered.length, 1) });
    },
  );
}

/** /Form and /Form/{form_guid}. */
export function registerCatalogueRoutes(app: HttpApp, catalogue: CatalogueService): void {
  const routes = apiRoutes(app, { tags: TAGS, permission: 'form:read' });
  routes.get(
    '/Form',
    'The catalogue of the plan service; stale while that cannot be reached',
    {
      schema: {
        querystring: PageQuerystring,
        response: {
          200: CataloguePage,
        },
      },
    },
    async (request, reply) => {
      const { entries, total, isStale, asOf } = await catalogue.list(request.query);
      const page = sendPage(request, reply, makePage(entries.map(toItem), total, request.query));
      return { ...page, stale: isStale, as_of: asOf.toISOString() };
    },
  );
  routes.get(
    '/Form/:form_guid',
    'One form: the Questionnaire and what a renderer needs',
    {
      config: { responseType: 'application/json', errors: ['unprocessable'] },
      schema: { params: Type.Object({ form_guid: Type.String() }) },
    },
    async (request, reply) => {
      const form = await catalogue.read(request.params.form_guid, actorOf(request));
      const { entry, questionnaire, renderReady, isStale, asOf } = form;
      const head = JSON.stringify({ ...toItem(entry), stale: isStale, as_of: asOf.toISOString() });
      const texts = [head.slice(0, -1), ',"questionnaire":', questionnaire, ',"render_ready":', renderReady, '}'];
      return sendJsonTexts(reply, texts);
    },
  );
}

/** Every caller who reads forms, as providers do, may read their schema. */
export function registerFormSchemaRoute(app: HttpApp): void {
  const routes = apiRoutes(app, { tags: TAGS });
  routes.get(
    '/schemas/render-ready-form',
    'The JSON Schema of the render-ready form, version 1',
    { config: { permission: 'form-schema:read', responseType: 'application/schema+json' }, schema: {} },
    async (_request, reply) => reply.type('application/schema+json; charset=utf-8').send(SCHEMA_TEXT),
  );
}

function toAttachment(attachment: FormAttachment): Static<typeof Attachment> {
  return {
    form_attachment_guid: attachment.formAttachmentGuid,
    form_guid: attachment.formGuid,
    title: attachment.title,
    position: attachment.position,
    answered_by: attachment.answeredBy,
    due: attachment.due ?? null,
  };
}

function toItem({ formGuid, title, version, status, url }: CatalogueEntry): Static<typeof CatalogueItem> {
  return { form_guid: formGuid, title, version, status, url };
}
