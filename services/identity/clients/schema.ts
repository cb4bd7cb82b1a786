// Request and response schemas of /api/admin/clients (docs/adr/0054).
import Type, { type Static } from 'typebox';
import { CLIENT_CALLS } from '#lib/auth/principal.ts';
import { closed, OptionalText } from '../shared/routes/schema.ts';
import { nameText } from '../text.ts';
import {
  AUDIENCE_HINT,
  AUDIENCE_PATTERN,
  CLIENT_ID_HINT,
  CLIENT_ID_PATTERN,
  CLIENT_KINDS,
  NAME_LENGTH,
} from './client.ts';

const MOST_REDIRECTS = 50;
const MOST_GRACE_HOURS = 720;

/** An id as it was sent, valid or not: the response says nothing about an unknown client. */
export const ClientParams = Type.Object({ client_id: Type.String({ minLength: 1, maxLength: 64 }) }, closed);

const ClientId = Type.String({
  pattern: CLIENT_ID_PATTERN,
  patternHint: CLIENT_ID_HINT,
});
const Audience = Type.String({
  pattern: AUDIENCE_PATTERN,
  patternHint: AUDIENCE_HINT,
  description:
    'Of the tokens that it is given: `kedja` opens what the user may open at Kedja, any other nothing but `GET /api/auth/me/service` for this client',
});
const Calls = Type.Array(Type.Enum([...CLIENT_CALLS]), {
  uniqueItems: true,
  description: 'What it may call by itself: of an application `user:read` alone',
});
const Redirects = Type.Array(Type.String({ maxLength: 2048 }), {
  uniqueItems: true,
  maxItems: MOST_REDIRECTS,
  description: 'Where its sign-ins may lead, each compared as a string',
});

const Reauthenticate = Type.Boolean({
  description:
    'Whether each sign-in asks for the password, whatever session the browser has; false when left out at creation, as it was when left out of a change',
});

export const CreateBody = Type.Object(
  {
    client_id: ClientId,
    name: nameText(NAME_LENGTH),
    kind: Type.Enum([...CLIENT_KINDS]),
    public: Type.Optional(Type.Boolean({ description: 'An application that keeps no secret (default false)' })),
    audience: Type.Optional(Audience),
    calls: Type.Optional(Calls),
    redirects: Type.Optional(Redirects),
    reauthenticate: Type.Optional(Reauthenticate),
  },
  { ...closed, title: 'NewClient' },
);
export type CreateBody = Static<typeof CreateBody>;

export const ChangeBody = Type.Object(
  {
    name: nameText(NAME_LENGTH),
    audience: Audience,
    calls: Calls,
    redirects: Redirects,
    reauthenticate: Type.Optional(Reauthenticate),
  },
  { ...closed, title: 'ClientChange' },
);
export type ChangeBody = Static<typeof ChangeBody>;

export const RotateBody = Type.Object(
  {
    grace_hours: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MOST_GRACE_HOURS,
        default: 0,
        description: 'How long the secret until now goes on working beside the new one',
      }),
    ),
  },
  closed,
);

const fields = {
  client_id: Type.String(),
  name: Type.String(),
  kind: Type.Enum([...CLIENT_KINDS]),
  public: Type.Boolean(),
  audience: Type.String(),
  calls: Type.Array(Type.String()),
  redirects: Type.Array(Type.String(), { description: 'Of a client of the configuration: origins with a path prefix' }),
  reauthenticate: Type.Boolean(),
  status: Type.Enum(['enabled', 'disabled']),
  managed_by: Type.Enum(['record', 'configuration'], {
    description: 'One of the configuration is changed there alone',
  }),
  created_at: OptionalText,
  created_by: OptionalText,
  last_rotated_at: OptionalText,
  previous_secret_valid_until: OptionalText,
  last_used_at: OptionalText,
};

export const ClientItem = Type.Object(fields, { title: 'Client' });
export type ClientItem = Static<typeof ClientItem>;

/** The response of creation and rotation, the only two that show the secret. */
export const ClientWithSecret = Type.Object(
  {
    ...fields,
    client_secret: Type.Optional(Type.String({ description: 'Shown this once; a public client has none' })),
  },
  { title: 'ClientWithSecret' },
);

export const RemovedResponse = Type.Object({ message: Type.String(), client_id: Type.String() });
