// The shape of a session in lists.
import Type, { type Static } from 'typebox';
import { OptionalText } from '../shared/routes/schema.ts';
import { offsetTimestamp, plainTimestamp } from '../time.ts';
import type { Session, SessionLife } from './service.ts';

const IdleEnd = Type.Union([Type.String(), Type.Null()], {
  description: 'When the session of a browser ends without further use; null for a token of its own',
});

export const SessionEnds = Type.Object({
  expires_at: Type.String({ description: 'The end at the latest, however much it is used' }),
  idle_ends_at: IdleEnd,
});

export function toSessionEnds({ ends_at: end, idle_ends_at: idle }: SessionLife): Static<typeof SessionEnds> {
  return { expires_at: offsetTimestamp(end), idle_ends_at: idle === null ? null : offsetTimestamp(idle) };
}

export const SessionItem = Type.Object(
  {
    session_guid: Type.String(),
    created_at: Type.String(),
    expires_at: Type.String(),
    last_used_at: Type.Union([Type.String(), Type.Null()], {
      description: 'Of the session of a browser, within a quarter of a minute; null for a token of its own',
    }),
    idle_ends_at: IdleEnd,
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
        tenant: Type.Optional(
          Type.String({ description: 'The tenant that was signed in to, where there are tenants' }),
        ),
      }),
      { description: 'What the user has signed in to by it, as far as its tokens are valid' },
    ),
    tenants: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The tenants that its tokens open, `default` for the default one; left out without tenants',
      }),
    ),
    current: Type.Boolean(),
  },
  { title: 'Session' },
);

export function toSessionItem(session: Session): Static<typeof SessionItem> {
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
    clients: session.uses.map(({ client_id, clientName, destination, tenant }) => ({
      client_id,
      client_name: clientName,
      destination,
      ...(tenant === null ? {} : { tenant }),
    })),
    ...(session.tenants.length === 0 ? {} : { tenants: [...session.tenants] }),
    current: session.isCurrent,
  };
}
