// Routes of sessions: GET and DELETE /api/auth/sessions, GET /api/auth/sessions/current, DELETE
// /api/auth/sessions/{session_guid}, DELETE /api/admin/users/{user_guid}/sessions.
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { registerList } from '../shared/routes/list-route.ts';
import { closed, UserParams } from '../shared/routes/schema.ts';
import { SessionEnds, SessionItem, toSessionEnds, toSessionItem } from './schema.ts';
import type { Sessions } from './service.ts';

const Revoked = Type.Object({ message: Type.String(), session_guid: Type.String() });
const RevokedOthers = Type.Object({ message: Type.String(), revoked: Type.Integer() });
const RevokedAll = Type.Object({ message: Type.String(), user_guid: Type.String(), revoked: Type.Integer() });

export function registerSessionRoutes(app: HttpApp, sessions: Sessions): void {
  const auth = apiRoutes(app, { tags: ['auth'], permission: 'session:manage-own' });
  const admin = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  registerList(auth, '/api/auth/sessions', 'Where the caller is signed in, the newest first', {
    item: SessionItem,
    count: sessions.countOwn,
    read: sessions.listOwn,
    toItem: toSessionItem,
  });
  auth.get(
    '/api/auth/sessions/current',
    'When the session of this request ends',
    { schema: { response: { 200: SessionEnds } } },
    async (request) => toSessionEnds(await sessions.lifeOfOwn(actorOf(request))),
  );
  auth.delete(
    '/api/auth/sessions',
    'End all other sessions',
    { schema: { response: { 200: RevokedOthers } } },
    async (request) => {
      const revoked = await sessions.revokeOthers(actorOf(request));
      return { message: 'All other sessions are signed out', revoked };
    },
  );
  auth.delete(
    '/api/auth/sessions/:session_guid',
    'End one of the caller’s sessions',
    { schema: { params: Type.Object({ session_guid: Type.String() }, closed), response: { 200: Revoked } } },
    async (request) => {
      const { session_guid } = request.params;
      await sessions.revokeOne(actorOf(request), session_guid);
      return { message: 'The session is signed out', session_guid };
    },
  );
  admin.delete(
    '/api/admin/users/:user_guid/sessions',
    'End all sessions of a user',
    { schema: { params: UserParams, response: { 200: RevokedAll } } },
    async (request) => {
      const { user_guid } = request.params;
      const revoked = await sessions.revokeAllOf(actorOf(request), user_guid);
      return { message: 'All sessions of the user are signed out', user_guid, revoked };
    },
  );
}
