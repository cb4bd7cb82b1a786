// GET /api/groups/admin/decision-queue (docs/reference/identity-people.md).
import Type, { type Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { limitOf, makePage, PageQuery, pageOf, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../actor.ts';
import { closed, OptionalText } from '../shared/routes/schema.ts';
import { plainTimestamp } from '../time.ts';
import { KINDS } from './schema.ts';
import type { DecisionQueue, QueueEntry } from './service.ts';

const Query = Type.Object(
  {
    ...PageQuery,
    kind: Type.Optional(Type.Enum([...KINDS])),
    search: Type.Optional(
      Type.String({ maxLength: 200, description: 'A part of a name, an e-mail address, a group or an organisation' }),
    ),
    min_days: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 3650, description: 'Only what has waited for so many days' }),
    ),
    order: Type.Optional(Type.Enum(['oldest', 'newest'])),
  },
  closed,
);
const Item = Type.Object(
  {
    kind: Type.Enum([...KINDS]),
    guid: Type.String({ description: 'The guid that the decision names' }),
    status: Type.Enum(['pending', 'endorsed']),
    created_at: Type.String(),
    may_decide: Type.Boolean({ description: 'Whether the caller decides; else an SU admin does' }),
    user_guid: OptionalText,
    email: Type.String(),
    first_name: OptionalText,
    last_name: OptionalText,
    group_guid: OptionalText,
    group_name: OptionalText,
    group_type: OptionalText,
    description: OptionalText,
    organisation_name: OptionalText,
    professional_role: OptionalText,
    requested_phases: Type.Array(Type.String()),
    chosen_leader_name: OptionalText,
  },
  { title: 'OpenDecision' },
);
const Queue = Type.Object(
  {
    ...pageOf(Item).properties,
    counts: Type.Object(
      {
        access_request: Type.Integer(),
        membership: Type.Integer(),
        leader_request: Type.Integer(),
        group_proposal: Type.Integer(),
      },
      { description: 'How many there are of each kind, whatever `kind` asks for' },
    ),
  },
  { title: 'OpenDecisionPage' },
);

export function registerDecisionQueueRoutes(app: HttpApp, queue: DecisionQueue): void {
  const routes = apiRoutes(app, { tags: ['groups'], permission: 'group:administer' });
  routes.get(
    '/api/groups/admin/decision-queue',
    'What waits for a decision, of every kind, and how many of each',
    { schema: { querystring: Query, response: { 200: Queue } } },
    async (request, reply) => {
      const { query } = request;
      const { kind, search, min_days: minDays, order = 'oldest' } = query;
      const found = await queue.list(actorOf(request), { kind, search, minDays, order }, limitOf(query));
      const page = sendPage(request, reply, makePage(found.entries.map(toItem), found.total, query));
      return { ...page, counts: found.counts };
    },
  );
}

function toItem({ mayDecide: may_decide, ...entry }: QueueEntry): Static<typeof Item> {
  const { created_at, requested_phases, ...rest } = entry;
  return { ...rest, may_decide, created_at: plainTimestamp(created_at), requested_phases: requested_phases ?? [] };
}
