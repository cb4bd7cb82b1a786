// HTTP of matching and of the list of matches (contract: dispatch, "Endpoints"; decision D4).
import Type, { type Static } from 'typebox';
import type { HttpApp } from '#lib/http/http-app.ts';
import { PageQuery, pageOf } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { compact } from '../shared/json.ts';
import { pageOfList } from '../shared/responses.ts';
import type { MatchService, MatchView } from './service.ts';

const MatchWire = Type.Object({
  match_guid: Type.String(),
  provider_guid: Type.String(),
  provider_name: Type.String(),
  contract_guid: Type.String(),
  status: Type.String({ description: 'pending, pushed, accepted, rejected, withdrawn or expired' }),
  request_guid: Type.Optional(Type.String({ description: 'What the provider knows it by, once pushed' })),
  progress: Type.Optional(Type.String({ description: 'acknowledged, in_progress, completed or rejected' })),
  progress_note: Type.Optional(Type.String()),
  blocked_reason: Type.Optional(Type.String({ description: 'Why the consent gate kept it back' })),
  withdrawn_reason: Type.Optional(Type.String({ description: 'revoked, taken or completed' })),
  rejected_reason: Type.Optional(Type.String()),
  respond_by: Type.Optional(Type.String({ format: 'date-time' })),
  pushed_at: Type.Optional(Type.String({ format: 'date-time' })),
  responded_at: Type.Optional(Type.String({ format: 'date-time' })),
  results: Type.Optional(Type.Array(Type.String())),
  updated_at: Type.String({ format: 'date-time' }),
});
const MatchBody = Type.Object(
  {
    region: Type.Optional(Type.String({ minLength: 1 })),
    date: Type.Optional(Type.String({ format: 'date', description: 'The day to be covered; today when left out' })),
  },
  { additionalProperties: false },
);
const IdParams = Type.Object({ id: Type.String() });
const PageQuerystring = Type.Object(PageQuery, { additionalProperties: false });
const TAGS = ['Matches'];

export function registerMatchRoutes(app: HttpApp, matches: MatchService): void {
  app.post(
    '/ServiceRequest/:id/match',
    {
      config: { permission: 'request:plan' },
      schema: {
        tags: TAGS,
        summary: 'Find the providers that are contracted for it',
        params: IdParams,
        body: MatchBody,
        response: { 200: Type.Object({ matches: Type.Array(MatchWire) }) },
      },
    },
    async (request) => {
      const found = await matches.match(actorOf(request), request.params.id, request.body);
      return { matches: found.map(toWire) };
    },
  );
  app.get(
    '/ServiceRequest/:id/matches',
    {
      config: { permission: 'request:read' },
      schema: {
        tags: TAGS,
        summary: 'Matches of a request, oldest first',
        params: IdParams,
        querystring: PageQuerystring,
        response: { 200: pageOf(MatchWire) },
      },
    },
    async (request, reply) => {
      const all = await matches.list(actorOf(request), request.params.id);
      return pageOfList(request, reply, all, toWire);
    },
  );
}

function toWire(match: MatchView): Static<typeof MatchWire> {
  return {
    match_guid: match.matchGuid,
    provider_guid: match.providerGuid,
    provider_name: match.providerName,
    contract_guid: match.contractGuid,
    status: match.status,
    updated_at: match.updatedAt.toISOString(),
    ...compact({
      request_guid: match.requestGuid,
      progress: match.progress === 'none' ? undefined : match.progress,
      progress_note: match.progressNote,
      blocked_reason: match.blockedReason,
      withdrawn_reason: match.withdrawnReason,
      rejected_reason: match.rejectedReason,
      respond_by: match.respondBy?.toISOString(),
      pushed_at: match.pushedAt?.toISOString(),
      responded_at: match.respondedAt?.toISOString(),
      results: match.results.length === 0 ? undefined : match.results,
    }),
  };
}
