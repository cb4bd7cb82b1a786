// The console's session (docs/adr/0092). The token is sealed into a cookie of the gateway, where no script can read it.
// Requests of the console carry a header that pages of other origins cannot send. With it the gateway forwards them
// with the session's token, and without any cookie.
import type { IncomingHttpHeaders } from 'node:http';
import { hasServiceCredentials } from '#lib/auth/service-credentials.ts';
import { type Clock, HOUR_MS } from '#lib/clock.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Language } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import { createLanguageCookie } from '#lib/sign-in/language-cookie.ts';
import { isFromOwnPage } from '#lib/sign-in/session-authenticator.ts';
import { createSignIn, type SignInSource } from '#lib/sign-in/sign-in.ts';
import { viewOf } from './view.ts';

/** A header that no form can send, and a script of another origin only after a preflight, which is never granted. */
const CONSOLE_HEADER = 'kedja-console';
const MARK = '1';

/** A registration takes longer than a sign-in. */
const PENDING_MS = HOUR_MS;

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Identity's pages after which a person comes to the console. */
const CONSOLE_PAGES = ['login', 'register', 'access-request', 'change-password'] as const;

/** The address on the public origin where a sign-in to the console begins, at one of identity's pages. */
export function consoleSignInHref(publicUrl: string, page: (typeof CONSOLE_PAGES)[number], language: Language): string {
  return `${publicUrl}/auth/login?${new URLSearchParams({ page, lang: language })}`;
}

export interface ConsoleSession {
  /** Registers `/auth/login`, `/auth/callback` and `/auth/logout`. */
  register(app: HttpApp): Promise<void>;
  /** Whether the browser has a session, which may have ended at identity. */
  isSignedIn(headers: IncomingHttpHeaders): boolean;
  /**
   * Checks a request that is to be forwarded.
   * @throws ServiceError `unauthorized` for one of the console without a session, `forbidden` for one that comes from
   *   elsewhere
   */
  check(request: { readonly headers: IncomingHttpHeaders; readonly method: string }): void;
  /**
   * The headers to forward, with the session's token where the console asks; the same object where there is nothing to
   * change.
   */
  forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders;
}

export interface ConsoleSessionOptions {
  /** The origin at which browsers reach the gateway. */
  readonly publicUrl: string;
  readonly source: SignInSource;
  /** The same on all nodes of the gateway. */
  readonly keys: KeySet;
  readonly clock: Clock;
}

export function createConsoleSession({ publicUrl, source, keys, clock }: ConsoleSessionOptions): ConsoleSession {
  const { origin } = new URL(publicUrl);
  const cookie = createLanguageCookie(publicUrl);
  const signIn = createSignIn({
    service: 'console',
    rootUrl: publicUrl,
    identityUrl: `${publicUrl}/identity`,
    keys,
    clock,
    source,
    // The services check the token.
    authenticator: { findCached: () => undefined, authenticate: async () => undefined },
    onSignedOut: async () => undefined,
    home: '/',
    pages: CONSOLE_PAGES,
    pendingMs: PENDING_MS,
    languages: { of: (headers) => viewOf(headers, cookie).language, keep: cookie.keep },
  });

  /** Undefined for a request that is none of the console, and for one that has credentials of its own. */
  const tokenFor = (headers: IncomingHttpHeaders) =>
    headers[CONSOLE_HEADER] === MARK ? signIn.tokenOf(headers) : undefined;

  return {
    register: (app) => signIn.register(app),
    isSignedIn: (headers) => signIn.tokenOf(headers) !== undefined,
    check({ headers, method }) {
      if (headers[CONSOLE_HEADER] !== MARK || hasCredentials(headers)) return;
      if (!isOwn(headers, method, origin)) {
        throw new ServiceError(
          'forbidden',
          'With the session of the console this is accepted from our own pages alone',
        );
      }
      if (tokenFor(headers) === undefined) throw new ServiceError('unauthorized', 'The session has ended: sign in');
    },
    forwarded(headers) {
      if (headers[CONSOLE_HEADER] === undefined && headers.cookie === undefined) return headers;
      const token = tokenFor(headers);
      const { [CONSOLE_HEADER]: _mark, cookie, ...rest } = headers;
      if (token !== undefined) return { ...rest, authorization: `Bearer ${token}` };
      const others = signIn.withoutCookies(cookie);
      return others === undefined ? rest : { ...rest, cookie: others };
    },
  };
}

function hasCredentials(headers: IncomingHttpHeaders): boolean {
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined || hasServiceCredentials(headers);
}

/** Reading is proved by the header alone where a browser says nothing; what a browser says is never ignored. */
function isOwn(headers: IncomingHttpHeaders, method: string, origin: string): boolean {
  if (!SAFE.has(method)) return isFromOwnPage(headers, origin) && (headers.origin ?? origin) === origin;
  const { 'sec-fetch-site': site = 'same-origin', origin: from = origin } = headers;
  return site === 'same-origin' && from === origin;
}
