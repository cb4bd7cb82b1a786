// Routes of sessions: GET and DELETE /api/auth/sessions, DELETE /api/auth/sessions/{session_guid}, DELETE
// /api/admin/users/{user_guid}/sessions.
import Type, { type Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { registerList } from '../shared/routes/list-route.ts';
import { closed, OptionalText, UserParams } from '../shared/routes/schema.ts';
import { offsetTimestamp, plainTimestamp } from '../time.ts';
import type { Session, Sessions } from './service.ts';

const SessionItem = Type.Object({
  session_guid: Type.String(),
  created_at: Type.String(),
  expires_at: Type.String(),
  last_used_at: Type.Union([Type.String(), Type.Null()], {
    description: 'Of the session of a browser, within a quarter of a minute; null for a token of its own',
  }),
  idle_ends_at: Type.Union([Type.String(), Type.Null()], {
    description: 'When the session of a browser ends without further use; null for a token of its own',
  }),
  address: OptionalText,
  user_agent: OptionalText,
  client_id: Type.Union([Type.String(), Type.Null()], {
    description: 'The client that the sign-in was for; null for one that named none, and for a session of a browser',
  }),
  client_name: OptionalText,
  clients: Type.Array(
    Type.Object({
      client_id: OptionalText,
      client_name: OptionalText,
      destination: Type.Union([Type.String(), Type.Null()], { description: 'Where the sign-in led' }),
    }),
    { description: 'What the user has signed in to by it, as far as its tokens are valid' },
  ),
  current: Type.Boolean(),
});
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
    toItem,
  });
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

function toItem(session: Session): Static<typeof SessionItem> {
  const [only] = session.last_used_at === null ? session.uses : [];
  return {
    session_guid: session.session_guid,
    created_at: plainTimestamp(session.began_at),
    expires_at: offsetTimestamp(session.ends_at),
    last_used_at: session.last_used_at === null ? null : plainTimestamp(session.last_used_at),
    idle_ends_at: session.idle_ends_at === null ? null : offsetTimestamp(session.idle_ends_at),
    address: session.address,
    user_agent: session.user_agent,
    client_id: only?.client_id ?? null,
    client_name: only?.clientName ?? null,
    clients: session.uses.map(({ client_id, clientName, destination }) => ({
      client_id,
      client_name: clientName,
      destination,
    })),
    current: session.isCurrent,
  };
}
