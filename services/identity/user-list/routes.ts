// GET /api/admin/users (contract: identity, Admin; decisions G5 and I10): streams the whole list, or sends one page.
import { Readable } from 'node:stream';
import Type, { type Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { describeList, ListQuery, listRange } from '../list-page.ts';
import { ProfessionalRole } from '../professional-role.ts';
import { OptionalText } from '../shared/routes/schema.ts';
import { optionalTimestamp, plainTimestamp } from '../time.ts';
import type { ListedUser, UserList } from './service.ts';

const Membership = Type.Object({
  membership_guid: Type.String(),
  group_guid: Type.String(),
  group_name: Type.String(),
  group_type: Type.String(),
  status: Type.Enum(['pending', 'approved', 'rejected']),
  is_admin: Type.Boolean(),
});
const Professional = Type.Object({
  professional_guid: Type.String(),
  professional_role: ProfessionalRole,
  is_privacy_officer: Type.Optional(Type.Boolean({ description: 'Of one who reads every access log' })),
  memberships: Type.Array(Membership),
});
const Patient = Type.Object({
  patient_guid: Type.String(),
  organisation_guid: Type.Union([Type.String(), Type.Null()], {
    description: 'Null for who may not see where a protected identity receives care; `organisations` is then empty',
  }),
  in_registry: Type.Boolean(),
  registries: Type.Array(Type.String()),
});
const User = Type.Object({
  user_guid: Type.String(),
  email: Type.String(),
  user_type: Type.Enum(['professional', 'patient']),
  is_su_admin: Type.Boolean(),
  first_name: OptionalText,
  last_name: OptionalText,
  created_at: Type.String(),
  last_login_at: OptionalText,
  blocked_at: Type.Optional(Type.String({ description: 'Of a blocked user' })),
  merged_into: Type.Optional(Type.String({ description: 'Of a merged account: the one that remains' })),
  professional: Type.Optional(Professional),
  patient: Type.Optional(Patient),
  organisations: Type.Array(Type.Object({ organisation_guid: Type.String(), name: Type.String() })),
});
/** The response is the array, or a stream of its text. */
const Users = Type.Unsafe<unknown>(Type.Array(User));

export function registerUserListRoutes(app: HttpApp, users: UserList): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  routes.get(
    '/api/admin/users',
    'All users, in the order in which they were made',
    { schema: { querystring: ListQuery, response: { 200: { content: { 'application/json': { schema: Users } } } } } },
    async (request, reply) => {
      reply.header('content-type', 'application/json; charset=utf-8');
      const { limit, offset } = listRange(request.query);
      if (limit !== null) {
        await describeList(request, reply, users.count);
        const page = await users.page(actorOf(request), { limit, offset });
        return reply.send(page.map(toUser));
      }
      const pieces = users.all(actorOf(request));
      // The first users are read before the status is sent, so that a failure gets an error response.
      const first = await pieces.next();
      return reply.send(Readable.from(toJson(first.done === true ? [] : first.value, pieces)));
    },
  );
}

async function* toJson(first: ListedUser[], rest: AsyncGenerator<ListedUser[]>): AsyncGenerator<string> {
  const textOf = (users: ListedUser[]) => users.map((user) => JSON.stringify(toUser(user))).join(',');
  yield `[${textOf(first)}`;
  for await (const users of rest) yield `,${textOf(users)}`;
  yield ']';
}

function toUser(row: ListedUser): Static<typeof User> {
  const { user_guid, email, user_type, is_su_admin, first_name, last_name, organisations } = row;
  const times = { created_at: plainTimestamp(row.created_at), last_login_at: optionalTimestamp(row.last_login_at) };
  const ended = {
    ...(row.blocked_at === null ? {} : { blocked_at: plainTimestamp(row.blocked_at) }),
    ...(row.merged_into === null ? {} : { merged_into: row.merged_into }),
  };
  const common = { user_guid, email, user_type, is_su_admin, first_name, last_name, ...times, ...ended };
  if (row.patient_guid !== null) {
    const { patient_guid, organisation_guid } = row;
    const registries = row.registries ?? [];
    const in_registry = registries.length > 0;
    return {
      ...common,
      patient: { patient_guid, organisation_guid, in_registry, registries },
      organisations,
    };
  }
  const professional_guid = row.professional_guid ?? '';
  const professional_role = row.professional_role ?? 'other';
  const { memberships } = row;
  const officer = row.is_privacy_officer === true ? { is_privacy_officer: true } : {};
  return { ...common, professional: { professional_guid, professional_role, ...officer, memberships }, organisations };
}
