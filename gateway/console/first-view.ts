// The first view of a face, rendered for the person whose session it is (docs/adr/0130). What it shows is read as the
// browser would read it: by requests to this gateway with the session's cookie and the console's mark. Whatever goes
// wrong, the page is sent without it, and the console makes the view in the browser.
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { FirstView } from './rendered-view.ts';
import type { ReaderView } from './view.ts';

/** What the built console renders (console/src/server/render.tsx). */
export interface ConsoleRenderer {
  render(path: string, place: RenderingPlace): Promise<FirstView | undefined>;
}

export interface RenderingPlace extends ReaderView {
  readonly origin: string;
  readonly nonce: string;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** A page without a first view is better than one that waits. */
const MOST_MS = 1_000;
/** Of the page's request: what names the browser and its session. */
const KEPT = ['cookie', 'user-agent', 'accept-language', 'host', 'x-forwarded-for', 'x-forwarded-proto'] as const;

interface FirstViewOptions {
  readonly renderer: ConsoleRenderer;
  readonly view: ReaderView;
  readonly publicUrl: string;
  readonly nonce: string;
}

/** Undefined for an address without one, for what is no visit of a person, and where it cannot be rendered now. */
export async function firstViewFor(
  app: HttpApp,
  request: FastifyRequest,
  { renderer, view, publicUrl, nonce }: FirstViewOptions,
): Promise<FirstView | undefined> {
  if (!isVisit(request.headers)) return undefined;
  const end = AbortSignal.timeout(MOST_MS);
  const place = { ...view, nonce, origin: publicUrl, fetch: (read: Request) => readFor(app, request, read, end) };
  const late = new Promise<undefined>((resolve) => {
    end.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    return await Promise.race([renderer.render(request.url, place), late]);
  } catch (error) {
    request.log.debug({ event: 'console.first-view-failed', err: error });
    return undefined;
  }
}

/** A page that is prefetched may never be seen, and what is read for it is recorded. */
function isVisit(headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-dest': destination = 'document', 'sec-purpose': purpose, purpose: older } = headers;
  return destination === 'document' && purpose === undefined && older === undefined;
}

/** @throws Error for a request that is more than reading */
async function readFor(app: HttpApp, page: FastifyRequest, read: Request, signal: AbortSignal): Promise<Response> {
  if (read.method !== 'GET') throw new Error(`A first view sends no ${read.method}`);
  const { pathname, search } = new URL(read.url);
  const kept = KEPT.flatMap((name) => (page.headers[name] === undefined ? [] : [[name, page.headers[name]] as const]));
  const { statusCode, headers, payload } = await app.inject({
    method: 'GET',
    url: pathname + search,
    headers: { accept: '*/*', ...Object.fromEntries(kept), ...Object.fromEntries(read.headers), 'kedja-console': '1' },
    remoteAddress: page.raw.socket.remoteAddress ?? '',
    signal,
  });
  const sent = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  return new Response(payload === '' ? null : payload, { status: statusCode, headers: sent });
}
