// POST /api/public/access-request, and the list and decisions of SU admins (contract: identity, Public and Admin;
// decision I11).
import Type, { type Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { bodyCheckHook } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { originOf } from '../actor.ts';
import { ProfessionalRole } from '../professional-role.ts';
import { registerList } from '../shared/routes/list-route.ts';
import { registerPending } from '../shared/routes/pending-routes.ts';
import { closed, DecisionReason, OptionalText } from '../shared/routes/schema.ts';
import { GuidText } from '../text.ts';
import { optionalTimestamp, plainTimestamp } from '../time.ts';
import { DECISIONS } from './lifecycle.ts';
import { formOf, SubmitBody } from './schema.ts';
import type { AccessRequests, OpenAccessRequest } from './service.ts';

const Status = Type.Enum(['pending', ...DECISIONS]);

const Submitted = Type.Object({
  access_request_guid: Type.String(),
  status: Type.Literal('pending'),
  message: Type.String(),
});
const OpenItem = Type.Object(
  {
    access_request_guid: Type.String(),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    professional_role: ProfessionalRole,
    organisation_guid: Type.String(),
    organisation_name: Type.String(),
    requested_phases: Type.Array(Type.String()),
    chosen_leader_guid: OptionalText,
    chosen_leader_name: OptionalText,
    status: Status,
    created_at: Type.String(),
    endorsed_by_guid: OptionalText,
    endorsed_at: OptionalText,
  },
  { title: 'AccessRequest' },
);
const DecideBody = Type.Object(
  { access_request_guid: GuidText, decision: Type.Enum([...DECISIONS]), reason: DecisionReason },
  closed,
);
const Decided = Type.Object({
  access_request_guid: Type.String(),
  status: Status,
  user_guid: Type.Optional(Type.String()),
});

export function registerAccessRequestRoutes(app: HttpApp, requests: AccessRequests, limiter: RateLimiter): void {
  const routes = apiRoutes(app, { tags: ['public'], permission: 'public' });
  routes.post(
    '/api/public/access-request',
    'Ask for a professional’s account',
    {
      config: { idempotent: true, errors: ['not_found', 'rate_limited'], openBodyLimit: 64 * 1024 },
      onRequest: rateLimitHook(limiter),
      attachValidation: true,
      preHandler: bodyCheckHook(requests.issuesOf),
      schema: { body: SubmitBody, response: { 201: Submitted } },
    },
    async (request, reply) => {
      const guid = await requests.submit(formOf(request.body), originOf(request));
      const message = 'The request is received; an administrator will decide on it';
      return reply.code(201).send({ access_request_guid: guid, status: 'pending' as const, message });
    },
  );
  registerAdministration(app, requests);
}

function toItem(item: OpenAccessRequest): Static<typeof OpenItem> {
  return {
    ...item,
    created_at: plainTimestamp(item.created_at),
    endorsed_at: optionalTimestamp(item.endorsed_at),
  };
}

function registerAdministration(app: HttpApp, requests: AccessRequests): void {
  const path = '/api/admin/access-requests';
  const summary = 'Access requests that are pending or endorsed, oldest first';
  registerPending(apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' }), {
    list: { path, summary, item: OpenItem },
    decision: { path, summary: 'Endorse, approve or reject an access request', body: DecideBody, decided: Decided },
    pending: requests.open,
    countPending: requests.countOpen,
    toItem,
    async decide(actor, { access_request_guid, decision, reason }) {
      const userGuid = await requests.decide(actor, access_request_guid, decision, reason?.trim());
      return { access_request_guid, status: decision, ...(userGuid === null ? {} : { user_guid: userGuid }) };
    },
  });
  const leaders = apiRoutes(app, { tags: ['groups'], permission: 'group:administer' });
  registerList(leaders, '/api/groups/admin/access-requests', 'Open access requests that name the caller as leader', {
    item: OpenItem,
    count: requests.countOpenOfLeader,
    read: requests.openOfLeader,
    toItem,
  });
}
