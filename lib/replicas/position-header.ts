// The header `Kedja-Position`. What a client has written is stored before its response. A client may send the position
// along, for itself or for another account (docs/operations/replicas.md).
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '../auth/principal.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { ReadReplicas } from './read-replicas.ts';

const POSITION_HEADER = 'kedja-position';

/** The account whose own writes a read must show. */
export function writerOf({ kind, id }: Pick<Principal, 'kind' | 'id'>): string {
  return `${kind}:${id}`;
}

/** The position that the client has sent along. Whatever else it may be is ignored when it is read. */
export function carriedPosition(headers: IncomingHttpHeaders): string | undefined {
  const given = headers[POSITION_HEADER];
  return typeof given === 'string' ? given : undefined;
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Notes the writes of each caller before the response leaves. Call it before the routes are registered. */
export function registerPositions(app: HttpApp, replicas: Pick<ReadReplicas, 'note'>): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { principal } = request;
    if (principal === undefined || !mayHaveWritten(request) || isRefused(reply.statusCode)) return done();
    replicas
      .note(writerOf(principal))
      .then((position) => void reply.header(POSITION_HEADER, position))
      .catch((err: unknown) => request.log.warn({ event: 'replicas.position-not-noted', err }))
      .finally(() => done());
  });
}

/** A search is no write; an operation counts as one, whichever it is. */
function mayHaveWritten({ method, url, routeOptions }: FastifyRequest): boolean {
  if (routeOptions.config.showsWrites === true) return true;
  return !READING.has(method) && !/\/_search(\?|$)/.test(url);
}

/** A refused request has written nothing; one that failed may have. */
function isRefused(status: number): boolean {
  return status >= 400 && status < 500;
}
