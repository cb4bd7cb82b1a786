// Authenticates calls to an external server (decision E11). It uses Basic (RFC 7617), Bearer (RFC 6750), or a token
// that is fetched with client credentials (RFC 6749, section 4.4). The token is cached until shortly before it expires.
import type { Dispatcher } from 'undici';
import type { Clock } from '#lib/clock.ts';
import { CallFailed, callUpstream, type UpstreamResponse } from './call.ts';
import type { ServerAuth, ServerDefinition } from './server-definition.ts';

export interface SignIn {
  /**
   * Returns the `authorization` header for the server, if it needs one.
   * @throws CallFailed `sign_in_failed`, or why the token cannot be fetched
   */
  headersFor(server: ServerDefinition): Promise<Readonly<Record<string, string>>>;
  /**
   * Call it when the server has refused the token: the next call fetches a new one. Returns whether a new one can be
   * fetched.
   */
  refused(server: ServerDefinition): boolean;
}

interface CachedToken {
  readonly revision: string;
  readonly token: string;
  readonly until: number;
}

const MAX_TOKEN_BYTES = 64 * 1024;
/** How long a token without `expires_in` is used. */
const DEFAULT_LIFE_SECONDS = 60;
/** A token is not used in its last moments, because a call takes time. */
const MARGIN_MS = 10_000;
const MAX_LIFE_SECONDS = 86_400;
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

export function createSignIn({ dispatcher, clock }: { dispatcher: Dispatcher; clock: Clock }): SignIn {
  const held = new Map<string, CachedToken>();
  const fetching = new Map<string, Promise<CachedToken>>();

  async function tokenOf(server: ServerDefinition, auth: ClientCredentials): Promise<string> {
    const known = held.get(server.name);
    if (known?.revision === server.revision && known.until > clock.now()) return known.token;
    const key = `${server.name} ${server.revision}`;
    const running = fetching.get(key) ?? fetchToken(server, auth, { dispatcher, clock });
    fetching.set(key, running);
    try {
      const fetched = await running;
      held.set(server.name, fetched);
      return fetched.token;
    } finally {
      fetching.delete(key);
    }
  }

  return {
    async headersFor(server) {
      const { auth } = server;
      switch (auth.type) {
        case 'none':
          return {};
        case 'basic':
          return { authorization: basic(auth.username, auth.secret) };
        case 'bearer':
          return { authorization: `Bearer ${auth.secret}` };
        case 'client_credentials':
          return { authorization: `Bearer ${await tokenOf(server, auth)}` };
        default:
          return auth satisfies never;
      }
    },
    refused: (server) => server.auth.type === 'client_credentials' && held.delete(server.name),
  };
}

type ClientCredentials = Extract<ServerAuth, { type: 'client_credentials' }>;

async function fetchToken(
  server: ServerDefinition,
  auth: ClientCredentials,
  { dispatcher, clock }: { dispatcher: Dispatcher; clock: Clock },
): Promise<CachedToken> {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (auth.scope !== undefined) form.set('scope', auth.scope);
  const askedAt = clock.now();
  const answer = await callUpstream(dispatcher, {
    method: 'POST',
    url: auth.tokenUrl,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      authorization: basic(formEncoded(auth.clientId), formEncoded(auth.secret)),
    },
    body: form.toString(),
    timeoutMs: server.timeoutMs,
    maxBytes: MAX_TOKEN_BYTES,
  });
  const { token, lifeSeconds } = readToken(answer);
  return { revision: server.revision, token, until: askedAt + lifeSeconds * 1000 - MARGIN_MS };
}

/** @throws CallFailed when the response has no bearer token */
function readToken({ status, body }: UpstreamResponse): { token: string; lifeSeconds: number } {
  const refused = (detail: string) => new CallFailed({ reason: 'sign_in_failed', status, detail });
  if (status !== 200) throw refused('the token endpoint gave no token');
  const { access_token: token, token_type: type, expires_in: expiresIn } = readObject(body);
  if (typeof token !== 'string' || !TOKEN.test(token)) throw refused('its answer holds no access token');
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') throw refused('its token is no bearer token');
  const life = Number(expiresIn ?? DEFAULT_LIFE_SECONDS);
  return { token, lifeSeconds: life > 0 ? Math.min(life, MAX_LIFE_SECONDS) : DEFAULT_LIFE_SECONDS };
}

function readObject(body: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`;
}

/** RFC 6749, section 2.3.1: id and secret are form-encoded before they are joined. */
function formEncoded(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice(2);
}
