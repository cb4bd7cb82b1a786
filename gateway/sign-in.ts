// The sign-in of developers who want a token: `/sign-in` redirects to identity's page, which redirects to `/signed-in`
// with a one-time code. A cookie has state and verifier, so that a sign-in or a code of another browser is refused
// (./signed-in-page.ts). People sign in to the console, whose token nobody sees (./console/session.ts).
import { Buffer } from 'node:buffer';
import Type from 'typebox';
import { type Clock, HOUR_MS } from '#lib/clock.ts';
import { chooseLanguage, type Language } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { createCookieWriter } from '#lib/sign-in/cookie-header.ts';
import { beginHandshake } from '#lib/sign-in/handshake.ts';
import { type CookieCodec, createPendingSignIns, type PendingSignIns } from '#lib/sign-in/pending-sign-ins.ts';
import { AT_FIELD, addressAtPublicHost } from '#lib/sign-in/public-host.ts';

const SIGN_IN_PATH = '/sign-in';
export const SIGNED_IN_PATH = '/signed-in';

/** A new password or a second factor may have to be set first. */
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
export function tokenHref(publicUrl: string, language: Language): string {
  return `${publicUrl}${SIGN_IN_PATH}?lang=${language}`;
}

export function registerSignIn(
  app: HttpApp,
  { publicUrl, signIns }: { readonly publicUrl: string; readonly signIns: PendingSignIns },
): void {
  const querystring = Type.Object({
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
      const { lang } = request.query;
      const language = chooseLanguage(lang, request.headers['accept-language']);
      const { state, verifier, query } = beginHandshake(`${publicUrl}${SIGNED_IN_PATH}`, language);
      const setCookies = signIns.begin(
        { state, returnTo: `/developer?lang=${language}`, verifier },
        request.headers.cookie,
      );
      reply.header('set-cookie', [...setCookies]);
      return reply.redirect(`${publicUrl}/identity/login?${query}`, 303);
    },
  );
}
