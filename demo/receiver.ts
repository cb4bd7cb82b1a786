// A provider's own system beside the demo. It verifies every webhook (Standard Webhooks, decision D8) and responds to
// the request by its priority, with results (./receiver-report.ts). It returns 204 only after that, so that nothing is
// lost when it ends.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Clock } from '#lib/clock.ts';
import { verifyWebhook } from '#lib/webhook/signature.ts';
import { createApi } from './api.ts';
import { openCredentialFile, type ReceiverCredentials } from './receiver-credentials.ts';
import { resultsOf, serviceRequestIn } from './receiver-report.ts';

export interface DemoReceiver {
  /** The address of its webhooks. */
  readonly url: string;
  credentials(): ReceiverCredentials | undefined;
  /** Stores credentials and port for later starts. */
  keep(credentials: Omit<ReceiverCredentials, 'port'>): Promise<void>;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  /** 0 uses the last start's port, or a free one. */
  readonly port: number;
  /** The folder of its credentials. */
  readonly dataDir: string;
  readonly clock: Clock;
  /**
   * Where dispatch is reached on this machine instead of at its public address: a demo behind a proxy may not reach
   * that, or not trust its certificate.
   */
  readonly dispatch?: { readonly publicUrl: string; readonly localUrl: string } | undefined;
}

const HOST = '127.0.0.1';
const PATH = '/webhook';
const KEPT_ARRIVALS = 50;
const MAX_BODY_BYTES = 50 * 1024 * 1024;

const Event = Type.Object({
  type: Type.String(),
  data: Type.Object({ request_guid: Type.Optional(Type.String()) }),
});
const Dispatched = Type.Object({
  type: Type.Literal('request.dispatched'),
  data: Type.Object({
    request_guid: Type.String(),
    respond_url: Type.String(),
    status_url: Type.String(),
    bundle: Type.Object({ entry: Type.Array(Type.Object({ resource: Type.Unknown() })) }),
  }),
});

/** Its responses by priority; no priority counts as routine. */
const ANSWERS: Readonly<Record<string, { decision?: 'accepted' | 'rejected'; reason?: string; statuses: string[] }>> = {
  routine: { statuses: ['acknowledged'] },
  urgent: { decision: 'accepted', statuses: ['in_progress'] },
  asap: { decision: 'accepted', statuses: ['in_progress', 'completed'] },
  stat: { decision: 'rejected', reason: 'Ingen ledig sköterska i dag', statuses: [] },
};

interface Arrival {
  readonly received_at: string;
  readonly verdict: string;
  readonly type?: string;
  readonly request_guid?: string;
  readonly answered?: string;
}

export async function startDemoReceiver({ port, dataDir, clock, dispatch }: ReceiverOptions): Promise<DemoReceiver> {
  const file = await openCredentialFile(dataDir);
  const localUrl = (url: string) =>
    dispatch !== undefined && url.startsWith(`${dispatch.publicUrl}/`)
      ? dispatch.localUrl + url.slice(dispatch.publicUrl.length)
      : url;
  const arrivals: Arrival[] = [];

  async function receive(request: IncomingMessage): Promise<number> {
    const known = file.credentials();
    const body = await readBody(request);
    if (known === undefined) return 503;
    const now = clock.now();
    const verdict = verifyWebhook({ headers: request.headers, body }, [known.secret], Math.floor(now / 1000));
    const base = { received_at: new Date(now).toISOString(), verdict };
    const event = verdict === 'valid' ? parseEvent(body) : undefined;
    const answered = event && (await act(event, { apiKey: known.apiKey, now, localUrl }));
    arrivals.unshift({
      ...base,
      ...(event === undefined ? {} : { type: event.type }),
      ...(event?.data.request_guid === undefined ? {} : { request_guid: event.data.request_guid }),
      ...(answered === undefined ? {} : { answered }),
    });
    arrivals.length = Math.min(arrivals.length, KEPT_ARRIVALS);
    return verdict === 'valid' ? 204 : 401;
  }

  const server = createServer((request, response) => {
    if (request.method === 'GET') return sendArrivals(response, arrivals);
    receive(request).then(
      (status) => response.writeHead(status, status === 503 ? { 'retry-after': '1' } : {}).end(),
      () => response.writeHead(500).end(),
    );
  });
  const bound = await listen(server, port === 0 ? [file.credentials()?.port ?? 0, 0] : [port]);
  return {
    url: `http://${HOST}:${bound}${PATH}`,
    credentials: file.credentials,
    keep: (credentials) => file.keep({ ...credentials, port: bound }),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * Responds to a request and reports on it; returns what it did, in words. @throws Error when a call to dispatch fails
 */
async function act(
  event: Static<typeof Event>,
  { apiKey, now, localUrl }: { apiKey: string; now: number; localUrl: (url: string) => string },
): Promise<string | undefined> {
  if (!Value.Check(Dispatched, event)) return undefined;
  const { bundle } = event.data;
  const [respondUrl, statusUrl] = [localUrl(event.data.respond_url), localUrl(event.data.status_url)];
  const request = serviceRequestIn(bundle.entry.map(({ resource }) => resource));
  const { decision, reason, statuses } = answerTo(request?.priority);
  if (decision !== undefined) {
    await report(respondUrl, { decision, ...(reason === undefined ? {} : { reason }) });
  }
  for (const status of statuses) {
    const isLast = status === statuses.at(-1) && decision === 'accepted';
    const results = isLast && request ? resultsOf(request, now, status !== 'completed') : undefined;
    await report(statusUrl, { status, ...(results === undefined ? {} : { results }) }, apiKey);
  }
  return [decision ?? [], statuses].flat().join(', ');
}

function answerTo(priority = 'routine') {
  return ANSWERS[priority] ?? { statuses: ['acknowledged'] };
}

/** A request that was withdrawn or has moved on (409, 410) is not retried. */
async function report(url: string, json: object, apiKey?: string): Promise<void> {
  const { status } = await createApi('', apiKey === undefined ? {} : { apiKey }).reply('POST', url, json);
  if (status >= 300 && status !== 409 && status !== 410) throw new Error(`${url} answered ${status}`);
}

function parseEvent(body: Buffer): Static<typeof Event> | undefined {
  const parsed: unknown = JSON.parse(body.toString('utf8'));
  return Value.Check(Event, parsed) ? parsed : undefined;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BODY_BYTES) throw new Error('The webhook is too long');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function sendArrivals(response: ServerResponse, arrivals: readonly Arrival[]): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
  response.end(`${JSON.stringify({ arrivals }, undefined, 2)}\n`);
}

/** Listens on the first free one of the ports; returns it. */
async function listen(server: Server, ports: readonly number[]): Promise<number> {
  let obstacle: unknown;
  for (const port of ports) {
    try {
      return await bind(server, port);
    } catch (error) {
      obstacle = error;
    }
  }
  throw new Error(`The demo's receiver cannot listen on ${HOST}:${ports.join(' or ')}`, { cause: obstacle });
}

function bind(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.removeListener('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
