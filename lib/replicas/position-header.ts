// The header `Kedja-Position`. What a client has written is stored before its response. A client may send the position
// along, for itself or for another account (docs/operations/replicas.md).
import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../auth/principal.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { HeadedRoute, OpenApiComponents } from '../http/openapi/components.ts';
import type { ReadReplicas } from './read-replicas.ts';

const POSITION_HEADER = 'kedja-position';
const NAME = 'Kedja-Position';

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
    const { method, url, routeOptions } = request;
    const mayWrite = mayHaveWritten({ method, url, config: routeOptions.config });
    if (principal === undefined || !mayWrite || isRefused(reply.statusCode)) return done();
    replicas
      .note(writerOf(principal))
      .then((position) => void reply.header(POSITION_HEADER, position))
      .catch((err: unknown) => request.log.warn({ event: 'replicas.position-not-noted', err }))
      .finally(() => done());
  });
}

/** A search is no write; an operation counts as one, whichever it is. */
function mayHaveWritten({ method, url, config }: HeadedRoute): boolean {
  if (config?.showsWrites === true) return true;
  return !READING.has(method) && !/\/_search(\?|$)/.test(url);
}

/** A refused request has written nothing; one that failed may have. */
function isRefused(status: number): boolean {
  return status >= 400 && status < 500;
}

const HEADER = {
  description:
    'A position after this write. A request of whatever account that sends it along sees the write, also on a standby. ' +
    'It is there where reads may come from standbys',
  schema: { type: 'string' },
};

/** The header in /openapi.json, on the responses that have it. A public address knows no caller. */
export const POSITION_COMPONENTS: OpenApiComponents = {
  all: function* () {
    yield ['headers', NAME, HEADER];
  },
  find: (kind, name) => (kind === 'headers' && name === NAME ? HEADER : undefined),
  headersOf: (route) => (mayHaveWritten(route) && route.config?.permission !== 'public' ? [NAME] : []),
};
