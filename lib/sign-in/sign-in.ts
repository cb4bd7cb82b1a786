// A service's own sign-in for browsers (decision G8): `/auth/login` redirects to identity's page, which redirects to
// `/auth/callback` with a one-time code. The service exchanges the code itself and puts the token into the session
// cookie. `state` binds the two halves to one browser (login CSRF). The return address is on our own origin (open
// redirects). With a session, only our own pages may change something (CSRF).
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Authenticator } from '../auth/authenticator.ts';
import { PERMISSIONS } from '../auth/permissions.ts';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { sendErrorPage } from '../html/error-page.ts';
import { readPost, registerForms } from '../html/form-post.ts';
import { chooseLanguage, type Language, sendPage } from '../html/html.ts';
import type { HttpApp } from '../http/http-app.ts';
import { familyRouteOf } from '../http/route-family.ts';
import type { KeySet } from '../secrets/key-set.ts';
import { type BrowserCookie, createBrowserCookie } from './browser-cookie.ts';
import { createSessionCookies, type SessionCookies } from './cookies.ts';
import { beginHandshake } from './handshake.ts';
import { failedPage, sessionPage } from './pages.ts';
import { AT_FIELD, addressAtPublicHost } from './public-host.ts';
import { readReturnPath } from './return-address.ts';
import { isFromOwnPage, tokenOfSession, withSessions } from './session-authenticator.ts';

/** The calls of a sign-in to identity. */
export interface SignInSource {
  /**
   * The token; undefined for a code that is unknown, used, expired, for another address or bound to another verifier
   * (RFC 7636).
   * @throws ServiceError `forbidden` for a user who may not sign in here, `upstream_unavailable`
   */
  exchange(code: string, next: string, verifier: string): Promise<string | undefined>;
  /**
   * Ends the token with its browser session, and the browser session of this secret; what has ended is no error.
   * @throws ServiceError `upstream_unavailable`
   */
  end(session: { readonly token: string | undefined; readonly browser: string | undefined }): Promise<void>;
}

export interface SignInOptions {
  readonly service: string;
  /** The service's root and identity's, as browsers reach them, without a slash at the end. */
  readonly rootUrl: string;
  readonly identityUrl: string;
  /** All nodes need the same. */
  readonly keys: KeySet;
  readonly clock: Clock;
  readonly source: SignInSource;
  /** Checks the tokens. */
  readonly authenticator: Authenticator;
  /** Called after a session has ended here, before the response. */
  onSignedOut(): Promise<void>;
  /**
   * The path on the public origin to which a sign-in without `return_to` and a sign-out lead. The page of the session
   * when left out.
   */
  readonly home?: string;
  /** Identity's pages at which a sign-in may begin, by `page`; the sign-in page alone when left out. */
  readonly pages?: readonly string[];
  /** The longest time from the begin to the end of a sign-in; ten minutes when left out. */
  readonly pendingMs?: number;
  /** The pages that follow have a language of their own, which a sign-in brings along. */
  readonly languages?: SignInLanguages;
}

export interface SignInLanguages {
  /** In which the pages are shown to this reader: the language of a sign-in that names none. */
  of(headers: IncomingHttpHeaders): Language;
  /** The `Set-Cookie` that keeps the language that a sign-in names; undefined where nothing changes. */
  keep(headers: IncomingHttpHeaders, language: Language): string | undefined;
}

export interface SignIn {
  /** The authenticator of the options, which also accepts sessions. */
  readonly authenticator: Authenticator;
  /** The token of the session that a request has; undefined when it has other credentials, or none. */
  tokenOf(headers: IncomingHttpHeaders): string | undefined;
  /** `Cookie` without the cookies of this sign-in; undefined when nothing is left. */
  withoutCookies(header: string | undefined): string | undefined;
  /** Call it before the service's own routes are registered, so that the CSRF guard covers them. */
  register(app: HttpApp): Promise<void>;
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const PUBLIC = { permission: 'public' } as const;
const LANG = Type.Optional(Type.String());

interface Site extends SignInOptions {
  readonly cookies: SessionCookies;
  readonly browserCookie: BrowserCookie;
  readonly origin: string;
  readonly authenticator: Authenticator;
}

export function createSignIn(options: SignInOptions): SignIn {
  const { origin, protocol } = new URL(options.rootUrl);
  const cookies = createSessionCookies({ ...options, isSecure: protocol === 'https:' });
  const authenticator = withSessions(options.authenticator, cookies);
  const browserCookie = createBrowserCookie(options.rootUrl);
  const site: Site = { ...options, cookies, browserCookie, origin, authenticator };
  return {
    authenticator,
    tokenOf: (headers) => tokenOfSession(headers, cookies),
    withoutCookies: cookies.without,
    async register(app) {
      guard(app, site);
      registerLogin(app, site);
      registerCallback(app, site);
      if (site.home === undefined) registerSession(app, site);
      await registerForms(app, (scope) => registerLogout(scope, site));
    },
  };
}

/**
 * A session may change something only from our own pages. Public routes ignore the session.
 */
function guard(app: HttpApp, { cookies, origin }: Site): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers, method } = request;
    if (SAFE.has(method) || tokenOfSession(headers, cookies) === undefined) return done();
    const { permission } = familyRouteOf(request) ?? request.routeOptions.config;
    if (permission === undefined || PERMISSIONS[permission].roles === 'anyone') return done();
    return isFromOwnPage(headers, origin) ? done() : done(foreign());
  });
}

function registerLogin(app: HttpApp, site: Site): void {
  const { cookies, origin, rootUrl, identityUrl, pages = ['login'] } = site;
  const querystring = Type.Object({
    return_to: Type.Optional(Type.String()),
    page: Type.Optional(Type.Enum([...pages])),
    lang: LANG,
    /** Whose sign-in it is likely to be (OpenID Connect Core §3.1.2.1). */
    login_hint: Type.Optional(Type.String({ maxLength: 254 })),
    ...AT_FIELD,
  });
  app.get('/auth/login', { config: PUBLIC, schema: { hide: true, querystring } }, async (request, reply) => {
    const { return_to: requested = homeOf(site), page = 'login', login_hint: hint } = request.query;
    const returnTo = readReturnPath(requested, origin);
    if (returnTo === undefined) {
      return sendErrorPage(new ServiceError('invalid_redirect', 'No address of this origin'), reply.code(400));
    }
    const elsewhere = addressAtPublicHost(request, `${rootUrl}/auth/login`);
    if (elsewhere !== undefined) return guarded(reply).redirect(elsewhere, 303);
    const language = languageOf(request, site);
    const { state, verifier, query } = beginHandshake(callbackOf(rootUrl), language);
    if (hint !== undefined && page === 'login') query.set('login_hint', hint);
    const setCookies = cookies.pending.begin({ state, returnTo, verifier }, request.headers.cookie);
    const kept = isNamed(request, language) ? site.languages?.keep(request.headers, language) : undefined;
    guarded(reply).header('set-cookie', kept === undefined ? [...setCookies] : [...setCookies, kept]);
    return reply.redirect(`${identityUrl}/${page}?${query}`, 303);
  });
}

function registerCallback(app: HttpApp, site: Site): void {
  const { cookies, origin, rootUrl, source, home } = site;
  const text = Type.Optional(Type.String({ maxLength: 1024 }));
  const querystring = Type.Object({ code: text, state: text });
  app.get('/auth/callback', { config: PUBLIC, schema: { hide: true, querystring } }, async (request, reply) => {
    const { code = '', state = '' } = request.query;
    const pending = cookies.pending.read(request.headers.cookie, state);
    // The way back through a sign-in that is done leads on: nothing of this address is used.
    if (pending === undefined && tokenOfSession(request.headers, cookies) !== undefined)
      return guarded(reply).redirect(`${origin}${homeOf(site)}`, 303);
    const token = pending && (await source.exchange(code, callbackOf(rootUrl), pending.verifier));
    if (pending === undefined || token === undefined) {
      // A sign-in that others began elsewhere does not end the pending one.
      if (pending !== undefined) reply.header('set-cookie', cookies.pending.end(state));
      return sendPage(
        guarded(reply).code(400),
        failedPage(languageOf(request, site), { hasSessionPage: home === undefined }),
      );
    }
    const returnTo = readReturnPath(pending.returnTo, origin) ?? '/';
    guarded(reply).header('set-cookie', [cookies.pending.end(state), cookies.session(token)]);
    return reply.redirect(`${origin}${returnTo}`, 303);
  });
}

function registerSession(app: HttpApp, site: Site): void {
  const { cookies, authenticator } = site;
  const querystring = Type.Object({ lang: LANG });
  app.get('/auth/session', { config: PUBLIC, schema: { hide: true, querystring } }, async (request, reply) => {
    const isSignedIn =
      tokenOfSession(request.headers, cookies) !== undefined && (await isKnown(request, authenticator));
    return sendPage(reply, sessionPage(languageOf(request, site), isSignedIn));
  });
}

function registerLogout(app: HttpApp, site: Site): void {
  const { cookies, browserCookie, origin, source, onSignedOut } = site;
  app.post('/auth/logout', { config: PUBLIC, schema: { hide: true } }, async (request, reply) => {
    if (!isFromOwnPage(request.headers, origin)) throw foreign();
    const { cookie } = request.headers;
    // The session at identity may live on when the token of this service has expired: it is ended by its own cookie.
    const [token, browser] = [cookies.readToken(cookie), browserCookie.read(cookie)];
    if (token !== undefined || browser !== undefined) {
      await source.end({ token, browser });
      await onSignedOut();
    }
    guarded(reply).header('set-cookie', [cookies.noSession, browserCookie.end]);
    const lang = chooseLanguage(readPost(request.body).optional('lang'), request.headers['accept-language']);
    return reply.redirect(`${origin}${homeOf(site)}?lang=${lang}`, 303);
  });
}

/** @throws ServiceError `unavailable`, when it cannot be known */
async function isKnown(request: FastifyRequest, authenticator: Authenticator): Promise<boolean> {
  const { headers } = request;
  if (authenticator.findCached(headers) !== undefined) return true;
  try {
    return (await authenticator.authenticate(headers)) !== undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthorized') return false;
    throw error;
  }
}

/** The address of the callback holds codes and states, so these responses are not stored and send no referrer. */
function guarded(reply: FastifyReply): FastifyReply {
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
}

function homeOf({ home, rootUrl }: Site): string {
  return home ?? `${new URL(rootUrl).pathname}/auth/session`.replace('//', '/');
}

function callbackOf(rootUrl: string): string {
  return `${rootUrl}/auth/callback`;
}

/** The one that the address names, else that of the pages, else the browser's. */
function languageOf(request: FastifyRequest, { languages }: Pick<Site, 'languages'>): Language {
  const { lang } = request.query as { lang?: string };
  return chooseLanguage(lang ?? languages?.of(request.headers), request.headers['accept-language']);
}

/** Whether the address names the language, and no other website has led here. */
function isNamed({ query, headers }: FastifyRequest, language: Language): boolean {
  const site = headers['sec-fetch-site'];
  return (query as { lang?: string }).lang === language && site !== 'cross-site' && site !== 'same-site';
}

function foreign(): ServiceError {
  return new ServiceError('forbidden', 'With a session cookie this is accepted from our own pages alone');
}
