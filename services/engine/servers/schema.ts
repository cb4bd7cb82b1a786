// Schemas of external servers (contract: engine, "External server integration"; decision E11).
import Type, { type Static } from 'typebox';
import { PageQuery } from '#lib/http/response/page.ts';
import { readOnly } from '#lib/http/response/read-back.ts';
import { InstantOrNull, nullable, TextOrNull, VISIBLE } from '../shared/fields.ts';

const closed = { additionalProperties: false };
const DEFAULT_TIMEOUT_MS = 10_000;

const Kind = Type.Enum(['fhir', 'terminology']);
const AuthType = Type.Enum(['none', 'basic', 'bearer', 'client_credentials']);

const ServerName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  patternHint: 'must be 1 to 64 letters, digits, dots, hyphens and underscores, the first a letter or a digit',
  description: 'What the server is called by in addresses',
});
const Address = Type.String({ minLength: 1, maxLength: 2048, description: 'http or https, without query' });
const Text = Type.String({ minLength: 1, maxLength: 4000, pattern: VISIBLE, patternHint: 'must be a visible text' });
/** RFC 6750, section 2.1: what may follow `Bearer `. */
const Token = Type.String({
  maxLength: 16_000,
  pattern: '^[A-Za-z0-9._~+/-]+=*$',
  patternHint: 'must be a token of letters, digits and - . _ ~ + / with = at its end alone',
});

const authFields = {
  type: AuthType,
  username: Type.Optional(Text),
  password: Type.Optional(Text),
  token: Type.Optional(Token),
  token_url: Type.Optional(Address),
  client_id: Type.Optional(Text),
  client_secret: Type.Optional(Text),
  scope: Type.Optional(Text),
};

export const AuthInput = Type.Object(authFields, {
  title: 'ServerAuthInput',
  ...closed,
  description:
    'basic: username, password; bearer: token; client_credentials: token_url, client_id, client_secret, scope?',
});
export type AuthInput = Static<typeof AuthInput>;

const Timeout = Type.Integer({
  minimum: 100,
  maximum: 120_000,
  default: DEFAULT_TIMEOUT_MS,
  description: 'Limit of one call, in milliseconds, from the connection to the last byte',
});

const serverFields = {
  url: Type.String({ ...Address, description: 'The FHIR base address: http or https, without query' }),
  kind: Type.Optional(Type.Enum(['fhir', 'terminology'], { default: 'fhir' })),
  auth: Type.Optional(AuthInput),
  timeout_ms: Type.Optional(Timeout),
};

export const ServerInput = Type.Object({ name: ServerName, ...serverFields }, { ...closed, title: 'ServerInput' });
export type ServerInput = Static<typeof ServerInput>;

/** The body of a PUT and of a test. The name is in the URL, or there is none yet. */
export const ServerChange = Type.Object(
  { name: Type.Optional(ServerName), ...serverFields },
  { ...closed, title: 'ServerChange' },
);
export type ServerChange = Static<typeof ServerChange>;

export const ServerView = Type.Object(
  {
    name: Type.String(),
    url: Type.String(),
    kind: Kind,
    auth: Type.Object({
      type: AuthType,
      username: Type.Optional(Type.String()),
      token_url: Type.Optional(Type.String()),
      client_id: Type.Optional(Type.String()),
      scope: Type.Optional(Type.String()),
    }),
    timeout_ms: Type.Integer(),
    source: readOnly(
      Type.Enum(['api', 'file'], { description: 'file: it stands in KEDJA_SERVERS_FILE and is changed there' }),
    ),
    created_at: readOnly(InstantOrNull),
    updated_at: readOnly(InstantOrNull),
  },
  { title: 'Server' },
);
export type ServerView = Static<typeof ServerView>;

export const ServerParams = Type.Object({ server_name: Type.String() });
export const ServerQuery = Type.Object({ ...PageQuery, kind: Type.Optional(Kind) }, closed);
export type ServerQuery = Static<typeof ServerQuery>;

const NumberOrNull = nullable<number>(Type.Integer());

export const ServerTest = Type.Object(
  {
    name: TextOrNull,
    url: Type.String(),
    kind: Kind,
    reachable: Type.Boolean({ description: 'It answered with a capability statement' }),
    latency_ms: NumberOrNull,
    fhir_version: TextOrNull,
    software: TextOrNull,
    resource_types: NumberOrNull,
    error: nullable<{ reason: string; message: string }>(
      Type.Object({ reason: Type.String(), message: Type.String() }),
    ),
  },
  { title: 'ServerTest' },
);
export type ServerTest = Static<typeof ServerTest>;

export const ServerTests = Type.Object({ servers: Type.Array(ServerTest) });

export const ServerStatus = Type.Object(
  {
    name: Type.String(),
    url: Type.String(),
    kind: Kind,
    status: Type.Enum(['up', 'down', 'unknown'], { description: 'What the last call met; unknown: none was made yet' }),
    circuit: Type.Enum(['closed', 'open', 'half_open'], {
      description: 'open: it failed several times in a row and is left alone for a while',
    }),
    last_success_at: InstantOrNull,
    last_failure_at: InstantOrNull,
    last_failure: TextOrNull,
    latency_ms: NumberOrNull,
  },
  { title: 'ServerStatus' },
);
export type ServerStatus = Static<typeof ServerStatus>;

export const ServerStatuses = Type.Object({ servers: Type.Array(ServerStatus) });
