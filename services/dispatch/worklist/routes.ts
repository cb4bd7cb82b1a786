// HTTP of the worklist: GET /api/v1/worklist (docs/reference/worklist.md).
import type { Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { limitOf, makePage, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { type WorklistItem, WorklistPage, WorklistQuery } from './schema.ts';
import type { WorklistEntry, WorklistService } from './service.ts';

export function registerWorklistRoutes(app: HttpApp, worklist: WorklistService): void {
  const routes = apiRoutes(app, { tags: ['worklist'], permission: 'worklist:read' });
  routes.get(
    '/worklist',
    'Where each request stands, and how many are in each stage',
    { schema: { querystring: WorklistQuery, response: { 200: WorklistPage } } },
    async (request, reply) => {
      const { query } = request;
      const found = await worklist.list(
        actorOf(request),
        {
          stage: query.stage,
          isUndelivered: query.undelivered === true,
          isMine: query.mine === true,
          isArchived: query.archived === true,
          patientGuid: query.patient_guid?.replace(/^Patient\//, ''),
          providerGuid: query.provider_guid,
          order: query.order ?? 'newest',
        },
        limitOf(query),
      );
      const page = sendPage(request, reply, makePage(found.entries.map(toItem), found.total, query));
      return { ...page, counts: found.counts };
    },
  );
}

function toItem(entry: WorklistEntry): Static<typeof WorklistItem> {
  const { pending, unanswered, accepted, refused, undelivered } = entry;
  return {
    service_request_id: entry.id,
    title: entry.title ?? null,
    patient: { reference: `Patient/${entry.patientGuid}` },
    care_plan: { reference: `CarePlan/${entry.careplanGuid}` },
    stage: entry.stage,
    is_mine: entry.isMine,
    is_archived: entry.isArchived,
    matches: { pending, unanswered, accepted, refused, undelivered },
    asked_at: entry.askedAt?.toISOString() ?? null,
    created_at: entry.createdAt.toISOString(),
    updated_at: entry.updatedAt.toISOString(),
  };
}
