// The streams of what happens (server-sent events, HTML Living Standard §9.2): GET /api/v1/notifications/stream, and
// GET /api/v1/worklist/stream for who may not read notifications.
import { PassThrough } from 'node:stream';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Audit } from '#lib/audit/audit.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../shared/actor.ts';
import { entriesOfReading } from './access-service.ts';
import { followerOf, type Reader, readerOf } from './audience.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { EndReason, NotificationHub, StreamClient } from './hub.ts';
import { toNotificationWire } from './view.ts';

/** Shorter than the pauses after which proxies give up a connection. */
const HEARTBEAT_MS = 15_000;
/** After how long a browser connects again, in milliseconds. */
const RECONNECT_MS = 3000;
/** Bytes that wait for a slow client. */
const LONGEST_QUEUE = 64 * 1024;

const StreamQuery = Type.Object(
  {
    last_event_id: Type.Optional(
      Type.String({ maxLength: 8192, description: 'As the header Last-Event-ID, or the `cursor` of the list' }),
    ),
    seconds: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 86_400, description: 'Ends after so long; 0 sends what there is and ends' }),
    ),
  },
  { additionalProperties: false },
);

const STREAM = {
  hasNoTimeLimit: true,
  staysOpen: true,
  responseType: 'text/event-stream',
  errors: ['rate_limited', 'unavailable'],
} satisfies Partial<FastifyContextConfig>;

export interface StreamFeatures {
  readonly hub: NotificationHub;
  readonly audit: Audit;
}

export function registerNotificationStream(app: HttpApp, { hub, audit }: StreamFeatures): void {
  const routes = apiRoutes(app, { tags: ['notifications'], permission: 'notification:read-own' });
  app.addHook('preClose', async () => hub.endAll('stopping'));
  routes.get(
    '/notifications/stream',
    'The caller’s notifications as they come, as server-sent events',
    { config: STREAM, schema: { querystring: StreamQuery } },
    async (request, reply) =>
      serve(hub, { request, reply }, readerOf, (output, base) => ({
        ...base,
        async send(sent) {
          const notifications = sent.map(({ notification }) => notification);
          await audit.recordRead(...entriesOfReading(actorOf(request), notifications));
          if (!isOpen(output)) return;
          for (const { notification, after } of sent) {
            const data = JSON.stringify(toNotificationWire(notification));
            output.write(`id: ${writeCursor(after)}\nevent: notification\ndata: ${data}\n\n`);
          }
        },
      })),
  );
}

/** For who follows up: that something has happened to a request of the organisations, and not what. */
export function registerWorklistStream(app: HttpApp, { hub }: Pick<StreamFeatures, 'hub'>): void {
  const routes = apiRoutes(app, { tags: ['worklist'], permission: 'worklist:read' });
  routes.get(
    '/worklist/stream',
    'When the worklist is to be read again, as server-sent events',
    { config: STREAM, schema: { querystring: StreamQuery } },
    async (request, reply) =>
      serve(hub, { request, reply }, followerOf, (output, base) => ({
        ...base,
        tell: (after) => void output.write(`id: ${writeCursor(after)}\nevent: change\ndata: {}\n\n`),
      })),
  );
}

type BaseClient = Pick<StreamClient, 'check' | 'isStopping' | 'isReady' | 'end'>;

interface StreamExchange {
  readonly request: FastifyRequest<{ Querystring: Static<typeof StreamQuery> }>;
  readonly reply: FastifyReply;
}

async function serve(
  hub: NotificationHub,
  { request, reply }: StreamExchange,
  reader: (principal: Principal) => Reader,
  clientFor: (output: PassThrough, base: BaseClient) => StreamClient,
): Promise<FastifyReply> {
  // A stream that nobody reads would take a place and record what it sends as read.
  if (request.method === 'HEAD') return send(reply, new PassThrough().end());
  const { last_event_id: given, seconds } = request.query;
  const cursor = request.headers['last-event-id'] ?? given;
  const from = typeof cursor === 'string' && cursor !== '' ? readCursor(cursor) : new Map<string, number>();
  const output = new PassThrough();
  const client = clientFor(output, baseClientOf(request, output, reader));
  const remove = await hub.open(client, reader(actorOf(request).principal), from);
  keepAlive(output, remove, seconds);
  output.write(`retry: ${RECONNECT_MS}\n\n`);
  const first = hub.flush();
  if (seconds === 0) void first.finally(() => client.end('finished'));
  else first.catch(() => client.end('unavailable'));
  return send(reply, output);
}

/** Proxies must not collect what is sent (`X-Accel-Buffering` of nginx). */
function send(reply: FastifyReply, output: PassThrough): FastifyReply {
  return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(output);
}

function keepAlive(output: PassThrough, remove: () => void, seconds: number | undefined): void {
  const heartbeat = setInterval(() => output.write(': \n\n'), HEARTBEAT_MS);
  const finish = seconds ? setTimeout(() => endWith(output, 'finished'), seconds * 1000) : undefined;
  const forget = () => {
    clearInterval(heartbeat);
    clearTimeout(finish);
    remove();
  };
  output.once('close', forget).once('error', forget);
}

function baseClientOf(
  request: FastifyRequest,
  output: PassThrough,
  reader: (principal: Principal) => Reader,
): BaseClient {
  const { server } = request;
  const wasListening = server.server.listening;
  const checkAgain = async (): Promise<Principal> => {
    if (request.checkAgain === undefined) throw new ServiceError('unauthorized', 'Authentication is required');
    return request.checkAgain();
  };
  return {
    check: async () => reader(await checkAgain()),
    isStopping: () => wasListening && !server.server.listening,
    isReady: () => isOpen(output) && output.writableLength + output.readableLength < LONGEST_QUEUE,
    end: (reason) => endWith(output, reason),
  };
}

function isOpen(output: PassThrough): boolean {
  return output.writable && !output.writableEnded;
}

/** Says why, so that a client knows whether to connect again. */
function endWith(output: PassThrough, reason: EndReason): void {
  if (output.writable && !output.writableEnded) output.end(`event: end\ndata: {"reason":"${reason}"}\n\n`);
}
