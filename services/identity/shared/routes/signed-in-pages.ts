// Pages for who is signed in with this browser (decision L11). A browser without a session is led to the sign-in and
// back, and forms are taken from our own pages alone.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type TProperties } from 'typebox';
import { authorise, type Permission } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import { type FormPost, readPost } from '#lib/html/form-post.ts';
import { chooseLanguage, html, type Language, type Page, sendPage } from '#lib/html/html.ts';
import { other, renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { type Actor, originOf } from '../../actor.ts';
import type { Browsers } from '../browser.ts';
import messages from './signed-in-pages.messages.json' with { type: 'json' };

export interface SignedInVisit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly language: Language;
  readonly actor: Actor;
}

export interface SignedInForm extends SignedInVisit {
  readonly post: FormPost;
}

export interface SignedInPagesDeps {
  /** `principalOfBrowser`: the caller by the live session of this secret, where it is enough. */
  readonly auth: { principalOfBrowser(secret: string | undefined): Promise<Principal | undefined> };
  readonly browsers: Browsers;
  /** The sign-in of the public origin that leads back to a path of this service. */
  readonly signInHref: (language: Language, path: string) => string;
}

interface PageRoute {
  readonly path: `/${string}`;
  /** Query parameters beside the language. */
  readonly query?: TProperties;
  /** What the caller needs; anybody who is signed in when left out. */
  readonly permission?: Permission;
  readonly show: (visit: SignedInVisit) => Promise<FastifyReply>;
}

interface FormRoute {
  readonly path: `/${string}`;
  /** The page of the form. */
  readonly page: `/${string}`;
  readonly permission?: Permission;
  readonly limiter?: RateLimiter;
  /** Counts by user instead of by address. */
  readonly isLimitedByUser?: boolean;
  readonly act: (form: SignedInForm) => Promise<FastifyReply>;
}

export interface SignedInPages {
  page(route: PageRoute): void;
  form(route: FormRoute): void;
}

const PAGE = { config: { permission: 'public' } } as const;
const LANGUAGE = Type.Optional(Type.String());

/** `scope` parses forms. */
export function createSignedInPages(scope: HttpApp, deps: SignedInPagesDeps): SignedInPages {
  const { auth, browsers, signInHref } = deps;

  /** Undefined when the browser has no session: then the page that leads to the sign-in has been sent. */
  async function visitOf(
    { request, reply }: Pick<SignedInVisit, 'request' | 'reply'>,
    { lang, returnTo, permission }: { lang: string | undefined; returnTo: string; permission: Permission | undefined },
  ): Promise<SignedInVisit | undefined> {
    const language = chooseLanguage(lang, request.headers['accept-language']);
    const principal = await auth.principalOfBrowser(browsers.secretOf(request));
    if (principal === undefined) {
      sendPage(reply.code(401), signInFirstPage(language, signInHref(language, inLanguage(returnTo, language))));
      return undefined;
    }
    if (permission !== undefined) authorise(permission, principal);
    return { request, reply, language, actor: { principal, ...originOf(request) } };
  }

  return {
    page({ path, query = {}, permission, show }) {
      const querystring = Type.Object({ ...query, lang: LANGUAGE });
      scope.get(path, { ...PAGE, schema: { hide: true, querystring } }, async (request, reply) => {
        const { lang } = request.query as { lang?: string };
        const visit = await visitOf({ request, reply }, { lang, returnTo: request.url, permission });
        return visit === undefined ? reply : show(visit);
      });
    },
    form({ path, page, permission, limiter, isLimitedByUser = false, act }) {
      scope.post(path, { ...PAGE, schema: { hide: true } }, async (request, reply) => {
        if (!browsers.isOwnPage(request))
          throw new ServiceError('forbidden', 'A form is accepted from this service’s own pages alone');
        if (limiter !== undefined && !isLimitedByUser) await rateLimitHook(limiter)(request, reply);
        const post = readPost(request.body);
        const visit = await visitOf({ request, reply }, { lang: post.optional('lang'), returnTo: page, permission });
        if (visit === undefined) return reply;
        if (limiter !== undefined && isLimitedByUser)
          await rateLimitHook(limiter, () => visit.actor.principal.id)(request, reply);
        return act({ ...visit, post });
      });
    },
  };
}

function inLanguage(address: string, language: Language): string {
  const [path = '', query] = address.split(/\?(.*)/s, 2);
  const parameters = new URLSearchParams(query);
  parameters.set('lang', language);
  return `${path}?${parameters}`;
}

/** For a browser without a session. */
function signInFirstPage(language: Language, href: string): Page {
  const text = translator(messages, language);
  const content = html`<h1>${text('title')}</h1>
<p>${text('lead')}</p>
<p class="actions"><a class="button" href="${href}">${text('signIn')}</a></p>`;
  return renderLayout({ language, title: text('title'), content, otherLanguage: `?lang=${other(language)}` });
}
