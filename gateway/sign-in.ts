// The gateway's own sign-in: `/sign-in` leads to a page of identity's, which leads back to `/signed-in` with a one-time
// code. State and verifier lie in a cookie of this browser, so that neither a sign-in that others began nor a code of
// others is taken (./signed-in-page.ts).
import { Buffer } from 'node:buffer';
import Type from 'typebox';
import type { Clock } from '#lib/clock.ts';
import { chooseLanguage, type Language } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { createCookieWriter } from '#lib/sign-in/cookie-header.ts';
import { beginHandshake } from '#lib/sign-in/handshake.ts';
import { AT_FIELD, addressAtPublicHost } from '#lib/sign-in/public-host.ts';
import { type CookieCodec, createSignInsUnderWay, type SignInsUnderWay } from '#lib/sign-in/under-way.ts';

const SIGN_IN_PATH = '/sign-in';
export const SIGNED_IN_PATH = '/signed-in';

/** Identity's pages from which a sign-in leads back. */
const PAGES = ['login', 'register', 'access-request', 'change-password'] as const;
export type IdentityPage = (typeof PAGES)[number];

/** Whoever registers first takes their time. */
const SIGN_IN_MS = 60 * 60_000;

/**
 * The gateway keeps no keys: the cookie holds what its own browser may know, and what counts is that no other browser
 * has it.
 */
const PLAIN: CookieCodec = {
  write: (text) => Buffer.from(text).toString('base64url'),
  read: (value) => Buffer.from(value, 'base64url').toString(),
};

export function createGatewaySignIns(publicUrl: string, clock: Clock): SignInsUnderWay {
  const cookies = createCookieWriter({ isSecure: publicUrl.startsWith('https:') });
  const prefix = `${cookies.namePrefix}kedja-gateway-sign-in-`;
  return createSignInsUnderWay({ prefix, cookies, codec: PLAIN, clock, lifetimeMs: SIGN_IN_MS });
}

/** The address of `/sign-in`, on the public origin: the cookie must be there where identity leads back to. */
export function signInHref(publicUrl: string, page: IdentityPage, language: Language): string {
  return `${publicUrl}${SIGN_IN_PATH}?${new URLSearchParams({ page, lang: language })}`;
}

export function registerSignIn(
  app: HttpApp,
  { publicUrl, signIns }: { readonly publicUrl: string; readonly signIns: SignInsUnderWay },
): void {
  const querystring = Type.Object({
    page: Type.Optional(Type.Enum([...PAGES])),
    lang: Type.Optional(Type.String()),
    ...AT_FIELD,
  });
  app.get(
    SIGN_IN_PATH,
    { config: { permission: 'public' }, schema: { hide: true, querystring } },
    async (request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      const elsewhere = addressAtPublicHost(request, `${publicUrl}${SIGN_IN_PATH}`);
      if (elsewhere !== undefined) return reply.redirect(elsewhere, 303);
      const { page = 'login', lang } = request.query;
      const language = chooseLanguage(lang, request.headers['accept-language']);
      const { state, verifier, query } = beginHandshake(`${publicUrl}${SIGNED_IN_PATH}`, language);
      const begun = signIns.begin({ state, returnTo: `/?lang=${language}`, verifier }, request.headers.cookie);
      reply.header('set-cookie', [...begun]);
      return reply.redirect(`${publicUrl}/identity/${page}?${query}`, 303);
    },
  );
}
