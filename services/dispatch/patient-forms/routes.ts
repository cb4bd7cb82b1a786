// HTTP of patients' forms (decision L2, docs/reference/patient.md).
import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { HttpApp } from '#lib/http/http-app.ts';
import { sendJsonTexts } from '#lib/http/long-text.ts';
import { limitOf, linkHeader, makePage } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import type { RawBodyOf } from '../shared/json-body.ts';
import { sendResource } from '../shared/responses.ts';
import {
  AnswersBody,
  PatientFormPage,
  PatientFormParams,
  PatientFormQuery,
  type PatientFormStatus,
  PatientFormWire,
} from './schema.ts';
import type { PatientForm, PatientFormService } from './service.ts';

export interface PatientFormRoutes {
  readonly forms: PatientFormService;
  readonly bodyText: RawBodyOf;
  /** The public address of `/api/v1`. */
  readonly baseUrl: string;
}

const TAGS = ['Patient forms'];
const own = { permission: 'patient-form:use-own' } as const;
const params = PatientFormParams;

export function registerPatientFormRoutes(app: HttpApp, routes: PatientFormRoutes): void {
  registerReading(app, routes);
  registerDrafts(app, routes);
  registerAnswers(app, routes);
  app.post(
    '/patient-forms/:guid/review',
    {
      config: { permission: 'patient-form:review', errors: ['conflict'] },
      schema: {
        tags: TAGS,
        summary: 'Note that staff have reviewed the answer: the patient no longer changes it',
        params,
        response: { 200: PatientFormWire },
      },
    },
    async (request) => toWire(await routes.forms.review(actorOf(request), request.params.guid)),
  );
}

function registerReading(app: HttpApp, { forms }: PatientFormRoutes): void {
  app.get(
    '/patient-forms',
    {
      config: own,
      schema: {
        tags: TAGS,
        summary: 'The forms that the patient has to answer, has begun and has answered',
        querystring: PatientFormQuery,
        response: { 200: PatientFormPage },
      },
    },
    async (request, reply) => {
      const { query } = request;
      const found = await forms.list(actorOf(request), { status: query.status, ...limitOf(query) });
      reply.header('link', linkHeader(request.url, query, found.total));
      return makePage(found.forms.map(toWire), found.total, query);
    },
  );
  app.get(
    '/patient-forms/:guid',
    {
      config: { ...own, responseType: 'application/json' },
      schema: { tags: TAGS, summary: 'One form, render-ready, with the draft or the answer', params },
    },
    async (request, reply) => {
      const { form, texts, response } = await forms.read(actorOf(request), request.params.guid);
      const head = JSON.stringify(toWire(form)).slice(0, -1);
      const answers = [',"draft":', texts.draft ?? 'null', ',"answer":', response ?? 'null'];
      return sendJsonTexts(reply, [head, ...answers, ',"render_ready":', texts.renderReady, '}']);
    },
  );
}

function registerDrafts(app: HttpApp, { forms, bodyText }: PatientFormRoutes): void {
  const schema = { tags: TAGS, params, response: { 200: PatientFormWire } };
  app.put(
    '/patient-forms/:guid/draft',
    {
      config: { ...own, errors: ['conflict'] },
      schema: { ...schema, summary: 'Keep what has been filled in so far', body: AnswersBody },
    },
    async (request) => toWire(await forms.keepDraft(actorOf(request), request.params.guid, bodyText(request))),
  );
  app.delete(
    '/patient-forms/:guid/draft',
    { config: { ...own, errors: ['conflict'] }, schema: { ...schema, summary: 'Discard the draft' } },
    async (request) => toWire(await forms.keepDraft(actorOf(request), request.params.guid, undefined)),
  );
}

function registerAnswers(app: HttpApp, { forms, bodyText, baseUrl }: PatientFormRoutes): void {
  const schema = { tags: TAGS, params, body: AnswersBody };
  const errors = ['conflict'] as const;
  const config = { ...own, errors };
  type Answering = FastifyRequest<{ Params: Static<typeof PatientFormParams> }>;
  const given = (request: Answering) => [actorOf(request), request.params.guid, bodyText(request)] as const;
  app.post(
    '/patient-forms/:guid/response',
    {
      config: { ...config, idempotent: true, responseTypes: { 201: 'application/fhir+json' } },
      schema: { ...schema, summary: 'Answer the form' },
    },
    async (request, reply) => {
      const version = await forms.answer(...given(request));
      reply.code(201).header('location', `${baseUrl}/QuestionnaireResponse/${version.id}`);
      return sendResource(reply, version);
    },
  );
  app.put(
    '/patient-forms/:guid/response',
    {
      config: { ...config, responseTypes: { 200: 'application/fhir+json' } },
      schema: { ...schema, summary: 'Correct the answer' },
    },
    async (request, reply) => sendResource(reply, await forms.correct(...given(request))),
  );
  app.delete(
    '/patient-forms/:guid/response',
    {
      config,
      schema: { tags: TAGS, params, summary: 'Withdraw the answer', response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await forms.withdraw(actorOf(request), request.params.guid);
      return reply.code(204).send(null);
    },
  );
}

function statusOf({ responseId, begunAt }: PatientForm): PatientFormStatus {
  if (responseId !== undefined) return 'answered';
  return begunAt === undefined ? 'to_do' : 'begun';
}

function toWire(form: PatientForm): Static<typeof PatientFormWire> {
  const reference = (type: string, id: string | undefined) =>
    id === undefined ? null : { reference: `${type}/${id}` };
  return {
    patient_form_guid: form.patientFormGuid,
    title: form.title,
    status: statusOf(form),
    due: form.due ?? null,
    given_by: {
      plan: { reference: `CarePlan/${form.careplanGuid}` },
      request: reference('ServiceRequest', form.serviceRequestId),
    },
    can_change: form.isOpen && form.reviewedAt === undefined,
    begun_at: form.begunAt?.toISOString() ?? null,
    answered_at: form.answeredAt?.toISOString() ?? null,
    reviewed_at: form.reviewedAt?.toISOString() ?? null,
    response: reference('QuestionnaireResponse', form.responseId),
  };
}
