// The console at the gateway (docs/adr/0093): its page at every address of a face, for who has a session, and its
// files. The policy allows what the build made and nothing else; style sheets within the page have a nonce.
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ServiceError } from '#lib/errors.ts';
import { sendErrorPage } from '#lib/html/error-page.ts';
import { chooseLanguage, html } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { chooseEncoding } from '#lib/http/response/compression.ts';
import type { ConsoleFiles } from './files.ts';
import messages from './pages.messages.json' with { type: 'json' };
import type { ConsoleSession } from './session.ts';

/** The faces of the console, each with everything below it. Whoever has no session is led to the sign-in and back. */
export const CONSOLE_FACES = ['/plan', '/care', '/admin', '/my', '/developer', '/operate', '/account'] as const;

/** Here whoever has no session gets a page of the gateway (../developer-page.ts). */
const ALSO_PUBLIC: ReadonlySet<string> = new Set(['/developer']);

const PUBLIC = { permission: 'public' } as const;
const YEAR_SECONDS = 31_536_000;
const NONCE_BYTES = 16;
/** The first start builds the console meanwhile. */
const RETRY_SECONDS = 5;

export interface ConsolePages {
  /** Sends the console to who has a session; false for anybody else. */
  serve(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined;
}

export interface ConsolePagesOptions {
  readonly session: Pick<ConsoleSession, 'isSignedIn'>;
  /** Undefined until the console is built. */
  readonly files: () => ConsoleFiles | undefined;
}

export function registerConsolePages(app: HttpApp, { session, files }: ConsolePagesOptions): ConsolePages {
  const serve = (request: FastifyRequest, reply: FastifyReply) =>
    session.isSignedIn(request.headers) ? sendConsole(request, reply, files()) : undefined;
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

function sendConsole(request: FastifyRequest, reply: FastifyReply, files: ConsoleFiles | undefined): FastifyReply {
  if (files === undefined) {
    const wait = new ServiceError('unavailable', 'The console is being built', { retryAfterSeconds: RETRY_SECONDS });
    return sendErrorPage(wait, reply.code(503).header('retry-after', String(RETRY_SECONDS)));
  }
  const language = chooseLanguage(undefined, request.headers['accept-language']);
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const page = files.page
    .replace('<html lang="sv">', `<html lang="${language}">`)
    .replaceAll('__NONCE__', nonce)
    .replaceAll('__NO_SCRIPT__', html`${messages.noScript[language]}`.markup);
  return reply
    .headers({ ...PAGE_HEADERS, 'content-security-policy': policyWith(nonce) })
    .type('text/html; charset=utf-8')
    .send(page);
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
    "script-src 'self'",
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
