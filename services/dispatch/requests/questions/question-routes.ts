// HTTP of questions and answers (decision D13): the provider's side below /requests, the requester's below
// /ServiceRequest.
import type { Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { limitOf, makePage, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../../shared/actor.ts';
import { IdParams } from '../../shared/wire.ts';
import {
  AnswerInput,
  AnswerParams,
  QuestionInput,
  QuestionList,
  QuestionPage,
  QuestionQuery,
  QuestionView,
  type QuestionWithMatchView,
  RequestParams,
} from './question-schema.ts';
import type { Question, QuestionService, QuestionWithMatch } from './question-service.ts';

const TAGS = ['questions'];

export function registerQuestionRoutes(app: HttpApp, questions: QuestionService): void {
  registerProvidersSide(app, questions);
  registerRequestersSide(app, questions);
}

function registerProvidersSide(app: HttpApp, questions: QuestionService): void {
  const routes = apiRoutes(app, { tags: TAGS, permission: 'request:ask' });
  routes.post(
    '/requests/:request_guid/questions',
    'Ask the requester for more',
    {
      config: { idempotent: true, errors: ['not_found', 'conflict', 'already_taken', 'expired'] },
      schema: { params: RequestParams, body: QuestionInput, response: { 201: QuestionView } },
    },
    async (request, reply) => {
      const asked = await questions.ask(actorOf(request), request.params.request_guid, request.body.question);
      return reply.code(201).send(toView(asked));
    },
  );
  routes.get(
    '/requests/:request_guid/questions',
    'What was asked about a request, with the answers',
    {
      config: { errors: ['not_found', 'conflict', 'already_taken', 'expired', 'consent_required'] },
      schema: { params: RequestParams, response: { 200: QuestionList } },
    },
    async (request) => {
      const found = await questions.read(actorOf(request), request.params.request_guid);
      return { questions: found.map(toView) };
    },
  );
}

function registerRequestersSide(app: HttpApp, questions: QuestionService): void {
  const routes = apiRoutes(app, { tags: TAGS });
  routes.get(
    '/ServiceRequest/:id/questions',
    'What providers asked about a request, oldest first',
    {
      config: { permission: 'request:read', errors: ['not_found'] },
      schema: { params: IdParams, querystring: QuestionQuery, response: { 200: QuestionPage } },
    },
    async (request, reply) => {
      const { query } = request;
      const filter = { serviceRequestId: request.params.id, isAnswered: query.answered };
      const { questions: asked, total } = await questions.list(actorOf(request), filter, limitOf(query));
      return sendPage(request, reply, makePage(asked.map(toViewWithMatch), total, query));
    },
  );
  routes.post(
    '/ServiceRequest/:id/questions/:question_guid/answer',
    'Answer a question; the provider finds it by its feed',
    {
      config: { permission: 'request:plan', errors: ['not_found', 'conflict', 'already_taken', 'expired'] },
      schema: { params: AnswerParams, body: AnswerInput, response: { 200: QuestionView } },
    },
    async (request) => {
      const { id: serviceRequestId, question_guid: questionGuid } = request.params;
      const address = { serviceRequestId, questionGuid };
      return toView(await questions.answer(actorOf(request), address, request.body.answer));
    },
  );
}

function toView(question: Question): Static<typeof QuestionView> {
  return {
    question_guid: question.questionGuid,
    request_guid: question.requestGuid,
    question: question.question,
    asked_at: question.askedAt.toISOString(),
    answer: question.answer ?? null,
    answered_at: question.answeredAt?.toISOString() ?? null,
  };
}

function toViewWithMatch(question: QuestionWithMatch): Static<typeof QuestionWithMatchView> {
  return {
    ...toView(question),
    match_guid: question.matchGuid,
    provider_guid: question.providerGuid,
    provider_name: question.providerName,
  };
}
