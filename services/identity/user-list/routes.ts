// GET /api/admin/users (contract: identity, Admin; decisions G5 and I10): streams the whole list, or sends one page.
// What screens of administrators read beside it: users found by name, one user, and what a deletion would touch.
import { Readable } from 'node:stream';
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { limitOf, makePage, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../actor.ts';
import { describeList, ListQuery, listRange } from '../list-page.ts';
import { toSessionItem } from '../sessions/schema.ts';
import { UserParams } from '../shared/routes/schema.ts';
import { optionalTimestamp } from '../time.ts';
import { Deletion, toUser, User, UserDetails, UserPage, UserSearch } from './schema.ts';
import type { ListedUser, UserList } from './service.ts';

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
  registerSearch(app, users);
}

function registerSearch(app: HttpApp, users: UserList): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  routes.get(
    '/api/admin/user-search',
    'Users by name, address, kind, organisation or group, in the order of their names',
    { schema: { querystring: UserSearch, response: { 200: UserPage } } },
    async (request, reply) => {
      const { query } = request;
      const { search, user_type: userType, state, organisation_guid: organisation, group_guid: group } = query;
      const filter = { search, userType, state, organisation, group };
      const { found, total } = await users.search(actorOf(request), filter, limitOf(query));
      return sendPage(request, reply, makePage(found.map(toUser), total, query));
    },
  );
  routes.get(
    '/api/admin/users/:user_guid',
    'One user, with second factor and sessions',
    { config: { errors: ['not_found'] }, schema: { params: UserParams, response: { 200: UserDetails } } },
    async (request) => {
      const { user, sessions } = await users.read(actorOf(request), request.params.user_guid);
      return {
        ...toUser(user),
        second_factor_since: optionalTimestamp(user.second_factor_since),
        must_change_password: user.must_change_password,
        merged_accounts: user.merged_accounts,
        sessions: sessions.map(toSessionItem),
      };
    },
  );
  routes.get(
    '/api/admin/users/:user_guid/deletion',
    'What deleting the user would touch',
    { config: { errors: ['not_found'] }, schema: { params: UserParams, response: { 200: Deletion } } },
    async (request) => users.deletionOf(actorOf(request), request.params.user_guid),
  );
}

async function* toJson(first: ListedUser[], rest: AsyncGenerator<ListedUser[]>): AsyncGenerator<string> {
  const textOf = (users: ListedUser[]) => users.map((user) => JSON.stringify(toUser(user))).join(',');
  yield `[${textOf(first)}`;
  for await (const users of rest) yield `,${textOf(users)}`;
  yield ']';
}
