// GET /api/auth/me and /me/service: who the caller is and what they may see (contract: identity, Auth; decisions I3 and
// I4).
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SEQUENCE_HEADER } from '#clients/identity-client.ts';
import { AccessBlob } from '#lib/auth/access-blob.ts';
import { readBearer, type TokenAuthenticator, type TokenRequirements } from '#lib/auth/authenticator.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { whenDone } from '#lib/http/hooks.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { TOKEN_AT_SERVICE } from '#lib/http/openapi/openapi.ts';
import { bodyOf, isSendable, type ResponseBody } from '#lib/http/response/direct-body.ts';
import type { ComputingRoute, DirectRoute } from '#lib/http/response/direct-response.ts';
import type { Clients, KnownClient } from '../clients/service.ts';
import { wrongClient } from '../shared/wrong-client.ts';

export interface MeRoutesDeps {
  readonly authenticator: TokenAuthenticator;
  readonly clients: Clients;
}

/** The response in both forms. */
interface MeResponse extends ResponseBody {
  readonly text: string;
}

const ME = '/api/auth/me';
const AT_SERVICE = `${ME}/service`;
const PERMISSION = 'account:read-own';
/** What proves a service, and how far it has read the feed of revocations. */
const SERVICE_CALLER: ReadonlySet<string> = new Set(['x-sso-client-id', 'x-sso-client-secret', SEQUENCE_HEADER]);
const JSON_TYPE = 'application/json; charset=utf-8';

export function registerMe(app: HttpApp, { authenticator, clients }: MeRoutesDeps): void {
  const routes = apiRoutes(app, { tags: ['auth'] });
  /** Serialized once for each principal, which lives as long as its blob is cached. */
  const responses = new WeakMap<Principal, MeResponse>();
  const admitted = new WeakSet<Principal>();
  const answer = (request: FastifyRequest, reply: FastifyReply): void => {
    const principal = requirePrincipal(request);
    const blob = authenticator.blobOf(principal);
    if (blob === undefined) throw new ServiceError('unauthorized', 'The token is no longer valid');
    const known = responses.get(principal) ?? responseOf(String(reply.serializeInput(blob, '200')));
    responses.set(principal, known);
    // A text, which goes out in one write with the head.
    reply.header('content-type', JSON_TYPE).send(known.text);
  };
  const response = { 200: AccessBlob };
  routes.get(
    ME,
    'Who the caller is and what they may see',
    { config: { permission: PERMISSION }, schema: { response } },
    (request, reply) => {
      answer(request, reply);
      admitted.add(requirePrincipal(request));
    },
  );
  const direct = directOf(responses, {
    served: { url: ME, permission: PERMISSION },
    contentType: JSON_TYPE,
    admits: (principal) => admitted.has(principal),
  });
  app.offerDirectResponses((request) => (request.url === ME && takesJson(request) ? direct : undefined));
  /** Why the client may not read the user, if so: a token with another audience gives it nothing. */
  const refusalOf = (principal: Principal, client: KnownClient | undefined): ServiceError | undefined => {
    if (client === undefined || !client.calls.has('user:read')) return wrongClient();
    if (authenticator.audienceOf(principal) === client.audience) return undefined;
    return new ServiceError('unauthorized', 'The token is for another client');
  };
  const admit = (request: FastifyRequest, principal: Principal, client: KnownClient | undefined): void => {
    const refusal = refusalOf(principal, client);
    if (refusal !== undefined) throw refusal;
    request.principal = principal;
  };
  const findKnown = (headers: IncomingHttpHeaders) => authenticator.findCachedByToken(headers, requirementsOf(headers));
  const directAtService = directOf(responses, {
    served: { url: AT_SERVICE, permission: 'public' },
    contentType: JSON_TYPE,
    callerHeaders: SERVICE_CALLER,
    callerOf({ headers }) {
      const principal = findKnown(headers);
      const isAdmitted = principal !== undefined && refusalOf(principal, clients.findCached(headers)) === undefined;
      return isAdmitted ? principal : undefined;
    },
    admits: () => true,
  });
  app.offerDirectResponses((request) =>
    request.url === AT_SERVICE && takesJson(request) ? directAtService : undefined,
  );
  routes.get(
    AT_SERVICE,
    'The same for a service that holds a user’s token',
    {
      // The Bearer token is checked first, then the service (I4). Both are checked here, since neither alone is enough.
      config: { permission: 'public', errors: ['unauthorized', 'invalid_service_credentials', 'rate_limited'] },
      onRequest: whenDone((request) => {
        const { headers, ip } = request;
        const admitPrincipal = (principal: Principal): void | Promise<void> => {
          const client = clients.findCached(headers);
          if (client !== undefined) return admit(request, principal, client);
          return clients.authenticate(headers, ip).then((proven) => admit(request, principal, proven));
        };
        const known = findKnown(headers);
        if (known !== undefined) return admitPrincipal(known);
        const token = readBearer(headers.authorization);
        return authenticator.authenticateToken(token, requirementsOf(headers)).then(admitPrincipal);
      }),
      schema: { security: TOKEN_AT_SERVICE, response },
    },
    answer,
  );
}

function responseOf(text: string): MeResponse {
  return { text, ...bodyOf(text) };
}

/** Responds before routing (lib/http/response/direct-responses.ts) to callers whose response has been made. */
function directOf(responses: WeakMap<Principal, MeResponse>, route: DirectRoute): ComputingRoute {
  return {
    route,
    compute({ headers }, principal) {
      const known = responses.get(principal);
      if (known === undefined || !isSendable(known, headers['accept-encoding'])) return undefined;
      return { route, body: known.body, contentLength: known.contentLength };
    },
  };
}

function requirementsOf(headers: IncomingHttpHeaders): TokenRequirements {
  return { sequence: Number(headers[SEQUENCE_HEADER] ?? 0), audience: 'any' };
}

function takesJson({ headers: { accept } }: IncomingMessage): boolean {
  return accept === undefined || accept === '*/*' || accept === 'application/json';
}
