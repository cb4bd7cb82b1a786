// HTTP of patients' forms (decision L2, docs/reference/patient.md).
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { sendJsonTexts } from '#lib/http/long-text.ts';
import { limitOf, makePage, sendPage } from '#lib/http/response/page.ts';
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
const OWN = { tags: TAGS, permission: 'patient-form:use-own' } as const;
const OWN_READING = { tags: TAGS, permission: 'patient-form:read-own' } as const;
const params = PatientFormParams;
const config = { errors: ['conflict'] } as const;
const response = { 200: PatientFormWire };

export function registerPatientFormRoutes(app: HttpApp, features: PatientFormRoutes): void {
  registerReading(app, features);
  registerDrafts(app, features);
  registerAnswers(app, features);
  apiRoutes(app, { tags: TAGS, permission: 'patient-form:review' }).post(
    '/patient-forms/:guid/review',
    'Note that staff have reviewed the answer: the patient no longer changes it',
    { config, schema: { params, response } },
    async (request) => toWire(await features.forms.review(actorOf(request), request.params.guid)),
  );
}

function registerReading(app: HttpApp, { forms }: PatientFormRoutes): void {
  const routes = apiRoutes(app, OWN_READING);
  routes.get(
    '/patient-forms',
    'The forms that the patient has to answer, has begun and has answered',
    { schema: { querystring: PatientFormQuery, response: { 200: PatientFormPage } } },
    async (request, reply) => {
      const { query } = request;
      const found = await forms.list(actorOf(request), { status: query.status, ...limitOf(query) });
      return sendPage(request, reply, makePage(found.forms.map(toWire), found.total, query));
    },
  );
  routes.get(
    '/patient-forms/:guid',
    'One form, render-ready, with the draft or the answer',
    { config: { responseType: 'application/json' }, schema: { params } },
    async (request, reply) => {
      const { form, texts, response: answer } = await forms.read(actorOf(request), request.params.guid);
      const head = JSON.stringify(toWire(form)).slice(0, -1);
      const answers = [',"draft":', texts.draft ?? 'null', ',"answer":', answer ?? 'null'];
      return sendJsonTexts(reply, [head, ...answers, ',"render_ready":', texts.renderReady, '}']);
    },
  );
}

function registerDrafts(app: HttpApp, { forms, bodyText }: PatientFormRoutes): void {
  const routes = apiRoutes(app, OWN);
  routes.put(
    '/patient-forms/:guid/draft',
    'Keep what has been filled in so far',
    { config, schema: { params, response, body: AnswersBody } },
    async (request) => toWire(await forms.keepDraft(actorOf(request), request.params.guid, bodyText(request))),
  );
  routes.delete(
    '/patient-forms/:guid/draft',
    'Discard the draft',
    { config, schema: { params, response } },
    async (request) => toWire(await forms.keepDraft(actorOf(request), request.params.guid, undefined)),
  );
}

function registerAnswers(app: HttpApp, { forms, bodyText, baseUrl }: PatientFormRoutes): void {
  const routes = apiRoutes(app, OWN);
  type Answering = FastifyRequest<{ Params: Static<typeof PatientFormParams> }>;
  const given = (request: Answering) => [actorOf(request), request.params.guid, bodyText(request)] as const;
  routes.post(
    '/patient-forms/:guid/response',
    'Answer the form',
    {
      config: { ...config, idempotent: true, responseTypes: { 201: 'application/fhir+json' } },
      schema: { params, body: AnswersBody },
    },
    async (request, reply) => {
      const version = await forms.answer(...given(request));
      reply.code(201).header('location', `${baseUrl}/QuestionnaireResponse/${version.id}`);
      return sendResource(reply, version);
    },
  );
  routes.put(
    '/patient-forms/:guid/response',
    'Correct the answer',
    { config: { ...config, responseTypes: { 200: 'application/fhir+json' } }, schema: { params, body: AnswersBody } },
    async (request, reply) => sendResource(reply, await forms.correct(...given(request))),
  );
  routes.remove('/patient-forms/:guid/response', 'Withdraw the answer', {
    config,
    params,
    run: (request) => forms.withdraw(actorOf(request), request.params.guid),
  });
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
