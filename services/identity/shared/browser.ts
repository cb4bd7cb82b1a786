// The browser of a request to a page (decision L11): the session cookie, and whether the request comes from our own
// pages. Only those may open, use or end a session with a form.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '#lib/html/html.ts';
import { type BrowserCookie, createBrowserCookie } from '#lib/sign-in/browser-cookie.ts';
import { createLanguageCookie } from '#lib/sign-in/language-cookie.ts';
import { isFromOwnPage } from '#lib/sign-in/session-authenticator.ts';

export interface Browsers {
  readonly cookie: BrowserCookie;
  /** The secret of the session that the browser presents, alive or not. */
  secretOf(request: FastifyRequest): string | undefined;
  /** Whether the browser says that the request comes from a page of ours. */
  isOwnPage(request: FastifyRequest): boolean;
  /** The browser for which a sign-in by this request opens a session; undefined when it may not. */
  signingOf(request: FastifyRequest): { readonly presented: string | undefined } | undefined;
  /** Sends the cookie of a session that has been opened, if one has. */
  keep(reply: FastifyReply, opened: { readonly secret: string } | undefined): void;
  /** Keeps the language of a sign-in by a form of our own pages, for the console. */
  keepLanguage(reply: FastifyReply, language: Language): void;
}

/** `baseUrl` is identity's, as browsers reach it. */
export function createBrowsers(baseUrl: string): Browsers {
  const cookie = createBrowserCookie(baseUrl);
  const languages = createLanguageCookie(baseUrl);
  const { origin } = new URL(baseUrl);
  const secretOf = (request: FastifyRequest) => cookie.read(request.headers.cookie);
  const isOwnPage = (request: FastifyRequest) => isFromOwnPage(request.headers, origin);
  return {
    cookie,
    secretOf,
    isOwnPage,
    signingOf: (request) => (cookie.isAllowed && isOwnPage(request) ? { presented: secretOf(request) } : undefined),
    keep(reply, opened) {
      if (opened !== undefined) reply.header('set-cookie', cookie.set(opened.secret));
    },
    keepLanguage(reply, language) {
      const { request } = reply;
      const kept = isOwnPage(request) ? languages.keep(request.headers, language) : undefined;
      if (kept !== undefined) reply.header('set-cookie', kept);
    },
  };
}
