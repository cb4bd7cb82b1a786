// The gateway's own sign-in: `/sign-in` redirects to a page of identity, which redirects to `/signed-in` with a
// one-time code. A cookie has state and verifier, so that a sign-in or a code of another browser is refused
// (./signed-in-page.ts). A page of our own origin may name itself by `return_to`.
import { Buffer } from 'node:buffer';
import Type from 'typebox';
import { type Clock, HOUR_MS } from '#lib/clock.ts';
import { ServiceError } from '#lib/errors.ts';
import { sendErrorPage } from '#lib/html/error-page.ts';
import { chooseLanguage, type Language } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { createCookieWriter } from '#lib/sign-in/cookie-header.ts';
import { beginHandshake } from '#lib/sign-in/handshake.ts';
import { type CookieCodec, createPendingSignIns, type PendingSignIns } from '#lib/sign-in/pending-sign-ins.ts';
import { AT_FIELD, addressAtPublicHost } from '#lib/sign-in/public-host.ts';
import { readReturnPath } from '#lib/sign-in/return-address.ts';

const SIGN_IN_PATH = '/sign-in';
export const SIGNED_IN_PATH = '/signed-in';

/** Where a sign-in that names no address leads: to the page of the signed-in user (./signed-in-page.ts). */
const OWN_PAGE = '/?lang=';

/** Identity's pages after which a sign-in can return. */
const PAGES = ['login', 'register', 'access-request', 'change-password'] as const;
export type IdentityPage = (typeof PAGES)[number];

/** A registration takes longer than a sign-in. */
const SIGN_IN_MS = HOUR_MS;

/**
 * Does not encrypt, as the gateway has no keys. The cookie's own browser may read it; what matters is that no other
 * browser has it.
 */
const PLAIN: CookieCodec = {
  write: (text) => Buffer.from(text).toString('base64url'),
  read: (value) => Buffer.from(value, 'base64url').toString(),
};

export function createGatewaySignIns(publicUrl: string, clock: Clock): PendingSignIns {
  const cookies = createCookieWriter({ isSecure: publicUrl.startsWith('https:') });
  const prefix = `${cookies.namePrefix}kedja-gateway-sign-in-`;
  return createPendingSignIns({ prefix, cookies, codec: PLAIN, clock, lifetimeMs: SIGN_IN_MS });
}

/** The address of `/sign-in` on the public origin, where the cookie must be when identity redirects back. */
export function signInHref(publicUrl: string, page: IdentityPage, language: Language): string {
  return `${publicUrl}${SIGN_IN_PATH}?${new URLSearchParams({ page, lang: language })}`;
}

/**
 * The path of our own origin to which this sign-in leads; undefined for the page of the signed-in user. The cookie is
 * not sealed, so the path is checked here, too.
 */
export function askedReturnPath({ returnTo }: { readonly returnTo: string }, publicOrigin: string): string | undefined {
  return returnTo.startsWith(OWN_PAGE) ? undefined : readReturnPath(returnTo, publicOrigin);
}

export function registerSignIn(
  app: HttpApp,
  { publicUrl, signIns }: { readonly publicUrl: string; readonly signIns: PendingSignIns },
): void {
  const querystring = Type.Object({
    page: Type.Optional(Type.Enum([...PAGES])),
    lang: Type.Optional(Type.String()),
    return_to: Type.Optional(Type.String()),
    ...AT_FIELD,
  });
  app.get(
    SIGN_IN_PATH,
    { config: { permission: 'public' }, schema: { hide: true, querystring } },
    async (request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      const { page = 'login', lang } = request.query;
      const language = chooseLanguage(lang, request.headers['accept-language']);
      const { return_to: wanted = `${OWN_PAGE}${language}` } = request.query;
      const returnTo = readReturnPath(wanted, new URL(publicUrl).origin);
      if (returnTo === undefined)
        return sendErrorPage(new ServiceError('invalid_redirect', 'No address of this origin'), reply.code(400));
      const elsewhere = addressAtPublicHost(request, `${publicUrl}${SIGN_IN_PATH}`);
      if (elsewhere !== undefined) return reply.redirect(elsewhere, 303);
      const { state, verifier, query } = beginHandshake(`${publicUrl}${SIGNED_IN_PATH}`, language);
      const setCookies = signIns.begin({ state, returnTo, verifier }, request.headers.cookie);
      reply.header('set-cookie', [...setCookies]);
      return reply.redirect(`${publicUrl}/identity/${page}?${query}`, 303);
    },
  );
}
