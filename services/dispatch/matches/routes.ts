// HTTP of matching and of the list of matches (contract: dispatch, "Endpoints"; decision D4).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { PageQuery, pageOf } from '#lib/http/response/page.ts';
import { AttemptSummary, toAttemptSummary } from '../deliveries/schema.ts';
import { actorOf } from '../shared/actor.ts';
import { pageOfList } from '../shared/responses.ts';
import { IdParams, MatchParams } from '../shared/wire.ts';
import { MatchWire, toMatchWire } from './schema.ts';
import type { MatchService, MatchView } from './service.ts';

const MatchBody = Type.Object(
  {
    region: Type.Optional(Type.String({ minLength: 1 })),
    date: Type.Optional(Type.String({ format: 'date', description: 'The day to be covered; today when left out' })),
  },
  { additionalProperties: false },
);
const PageQuerystring = Type.Object(PageQuery, { additionalProperties: false });

export function registerMatchRoutes(app: HttpApp, matches: MatchService): void {
  const routes = apiRoutes(app, { tags: ['Matches'], permission: 'request:read' });
  routes.post(
    '/ServiceRequest/:id/match',
    'Find the providers that are contracted for it',
    {
      config: { permission: 'request:plan' },
      schema: { params: IdParams, body: MatchBody, response: { 200: Type.Object({ matches: Type.Array(MatchWire) }) } },
    },
    async (request) => {
      const found = await matches.match(actorOf(request), request.params.id, request.body);
      return { matches: found.map(toMatchWire) };
    },
  );
  routes.get(
    '/ServiceRequest/:id/matches',
    'Matches of a request, oldest first',
    { schema: { params: IdParams, querystring: PageQuerystring, response: { 200: pageOf(MatchWire) } } },
    async (request, reply) => {
      const actor = actorOf(request);
      const all = await matches.list(actor, request.params.id);
      // Patients see the provider, nobody of its staff, and no mails to them.
      const isStaff = actor.principal.patientGuid === undefined;
      return pageOfList(request, reply, isStaff ? all : all.map(withoutPersons), toMatchWire);
    },
  );
  routes.get(
    '/ServiceRequest/:id/matches/:match_guid/attempts',
    'Attempts to send a match to its provider, in order',
    { schema: { params: MatchParams, querystring: PageQuerystring, response: { 200: pageOf(AttemptSummary) } } },
    async (request, reply) => {
      const { id, match_guid } = request.params;
      const all = await matches.attempts(actorOf(request), id, match_guid);
      return pageOfList(request, reply, all, toAttemptSummary);
    },
  );
}

function withoutPersons(match: MatchView): MatchView {
  return { ...match, acceptedByGuid: undefined, reportedByGuid: undefined, linkMail: undefined };
}
