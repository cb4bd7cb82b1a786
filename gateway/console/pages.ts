// The console at the gateway (docs/adr/0093): its page at every address of a face, for who has a session, and its
// files. The policy allows what the build made and nothing else; style sheets within the page have a nonce.
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ServiceError } from '#lib/errors.ts';
import { sendErrorPage } from '#lib/html/error-page.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { chooseEncoding } from '#lib/http/response/compression.ts';
import { createLanguageCookie, type LanguageCookie } from '#lib/sign-in/language-cookie.ts';
import { EARLY_HASH } from './early.ts';
import type { ConsoleFiles } from './files.ts';
import { firstViewFor } from './first-view.ts';
import { pageWith } from './page.ts';
import type { ConsoleSession } from './session.ts';
import { viewOf } from './view.ts';

/**
 * The faces of the console, each with everything below it. A caller without a session is led to the sign-in and back.
 */
export const CONSOLE_FACES = [
  ...['/plan', '/care', '/admin', '/review', '/my', '/developer', '/operate', '/account'],
] as const;

/** Here a caller without a session gets a page of the gateway (../developer-page.ts). */
const ALSO_PUBLIC: ReadonlySet<string> = new Set(['/developer']);

const PUBLIC = { permission: 'public' } as const;
const YEAR_SECONDS = 31_536_000;
const NONCE_BYTES = 16;
/** The first start builds the console meanwhile. */
const RETRY_SECONDS = 5;

export interface ConsolePages {
  /** Sends the console to who has a session; false for anybody else. */
  serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | undefined;
}

export interface ConsolePagesOptions {
  readonly session: Pick<ConsoleSession, 'isSignedIn'>;
  /** Undefined until the console is built. */
  readonly files: () => ConsoleFiles | undefined;
  /** The origin at which browsers reach the gateway. */
  readonly publicUrl: string;
}

export function registerConsolePages(app: HttpApp, options: ConsolePagesOptions): ConsolePages {
  const { session, files } = options;
  const site = { ...options, languages: createLanguageCookie(options.publicUrl) };
  const serve = (request: FastifyRequest, reply: FastifyReply) =>
    session.isSignedIn(request.headers) ? sendConsole(app, request, reply, site) : undefined;
  for (const face of CONSOLE_FACES) {
    for (const path of [face, `${face}/*`]) {
      if (ALSO_PUBLIC.has(path)) continue;
      app.get(path, { config: PUBLIC, schema: { hide: true } }, async (request, reply) => {
        const signIn = `/auth/login?${new URLSearchParams({ return_to: request.url })}`;
        return serve(request, reply) ?? reply.header('cache-control', 'no-store').redirect(signIn, 303);
      });
    }
  }
  const params = Type.Object({ name: Type.String() });
  app.get('/assets/:name', { config: PUBLIC, schema: { hide: true, params } }, async (request, reply) =>
    sendAsset(request, reply, files()?.assets.get(request.params.name)),
  );
  return { serve };
}

type Site = ConsolePagesOptions & { readonly languages: LanguageCookie };

async function sendConsole(app: HttpApp, request: FastifyRequest, reply: FastifyReply, options: Site) {
  const files = options.files();
  if (files === undefined) {
    const wait = new ServiceError('unavailable', 'The console is being built', { retryAfterSeconds: RETRY_SECONDS });
    const again = { 'retry-after': String(RETRY_SECONDS), refresh: String(RETRY_SECONDS) };
    return sendErrorPage(wait, reply.code(503).headers(again));
  }
  const { page, renderer } = files;
  const view = viewOf(request.headers, options.languages);
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const first = await firstViewFor(app, request, { renderer, view, nonce, publicUrl: options.publicUrl });
  if (first !== undefined && 'redirect' in first) {
    return reply.headers(PAGE_HEADERS).redirect(first.redirect, 303);
  }
  return reply
    .headers({ ...PAGE_HEADERS, 'content-security-policy': policyWith(nonce) })
    .type('text/html; charset=utf-8')
    .send(pageWith(page, { view, nonce, first }));
}

const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
};

function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' '${EARLY_HASH}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** Without compression of the application's own: the files are compressed better, and once. */
function sendAsset(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  file: ConsoleFiles['assets'] extends ReadonlyMap<string, infer File> ? File | undefined : never,
): FastifyReply {
  if (file === undefined) throw new ServiceError('not_found', 'There is nothing at this address');
  const encoding = chooseEncoding(headers['accept-encoding']) ?? '';
  const packed = file.packed.get(encoding);
  return reply
    .headers({
      'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      ...(packed === undefined ? {} : { 'content-encoding': encoding }),
    })
    .type(file.type)
    .send(packed ?? file.plain);
}
