// Routes of the caller's own account: sign-out, change of password, exchange of a one-time code (contract: identity,
// Auth; decisions I3 and I4).
import type { FastifyRequest } from 'fastify';
import { readBearer, type TokenAuthenticator } from '#lib/auth/authenticator.ts';
import { hasServiceCredentials } from '#lib/auth/service-credentials.ts';
import type { TokenVerifier } from '#lib/auth/token-verifier.ts';
import { ServiceError } from '#lib/errors.ts';
import { chooseLanguage } from '#lib/html/html.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { whenDone } from '#lib/http/hooks.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { TOKEN } from '#lib/http/openapi/openapi.ts';
import { actorOf, originOf } from '../actor.ts';
import type { Clients } from '../clients/service.ts';
import { MessageResponse } from '../shared/routes/schema.ts';
import { wrongClient } from '../shared/wrong-client.ts';
import { signedInResponse } from './login-response.ts';
import { registerMe } from './me-routes.ts';
import { BrowserSessionBody, ChangePasswordBody, CodeBody, LoginResponse } from './schema.ts';
import type { AuthService } from './service.ts';

export interface AuthRoutesDeps {
  readonly auth: AuthService;
  readonly authenticator: TokenAuthenticator;
  readonly clients: Clients;
  readonly tokens: Pick<TokenVerifier, 'verifyPast'>;
}

export function registerAuthRoutes(app: HttpApp, deps: AuthRoutesDeps): void {
  registerMe(app, deps);
  registerLogout(app, deps);
  registerBrowserSession(app, deps.auth);
  registerAccount(app, deps.auth);
  registerCodeExchange(app, deps);
}

/**
 * A token with the audience of one client grants nothing here, but may be revoked all the same. One that has expired
 * still ends its browser session, as a sign-out must not depend on how long a page was open (OpenID Connect
 * RP-Initiated Logout 1.0 §2 takes expired ID tokens, too).
 */
function registerLogout(app: HttpApp, { auth, authenticator, tokens }: AuthRoutesDeps): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'public' });
  routes.post(
    '/api/auth/logout',
    'Revoke the token of the call, and end its browser session',
    {
      config: { errors: ['unauthorized'] },
      onRequest: whenDone(async (request) => {
        const token = readBearer(request.headers.authorization);
        try {
          request.principal = await authenticator.authenticateToken(token, { audience: 'any' });
        } catch (error) {
          if (!(error instanceof ServiceError) || error.code !== 'unauthorized') throw error;
          const past = await tokens.verifyPast(token);
          if (past === undefined || !(await auth.signOutPast(past.tokenId, originOf(request)))) throw error;
        }
      }),
      schema: {
        description: 'A token that has expired ends its browser session all the same; 401 when that has ended, too.',
        security: TOKEN,
        response: { 200: MessageResponse },
      },
    },
    async (request) => {
      if (request.principal !== undefined) await auth.signOut(actorOf(request));
      return { message: 'Signed out' };
    },
  );
}

/** For services, which receive the cookie with their users' requests. Who has the secret may end the session. */
function registerBrowserSession(app: HttpApp, auth: AuthService): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'public' });
  routes.post(
    '/api/auth/browser-session/end',
    'End the browser session of this cookie value everywhere; one that has ended is no error',
    { schema: { body: BrowserSessionBody, response: { 200: MessageResponse } } },
    async (request) => {
      await auth.signOutBrowser(request.body.session, originOf(request));
      return { message: 'Signed out' };
    },
  );
}

function registerAccount(app: HttpApp, auth: AuthService): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'account:write-own' });
  routes.post(
    '/api/auth/change-password',
    'Change the password; the user’s other tokens are revoked',
    {
      config: { validationCode: 'invalid_request', errors: ['authentication_failed', 'rate_limited'] },
      schema: { body: ChangePasswordBody, response: { 200: MessageResponse } },
    },
    async (request) => {
      const { current_password: current, new_password: next } = request.body;
      const language = chooseLanguage(undefined, request.headers['accept-language']);
      await auth.changePassword(actorOf(request), { current, next }, language);
      return { message: 'The password is changed; other sessions are signed out' };
    },
  );
}

function registerCodeExchange(app: HttpApp, { auth, clients }: AuthRoutesDeps): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'public' });
  routes.post(
    '/api/auth/token',
    'Exchange the one-time code of a handshake for the token',
    {
      config: {
        validationCode: 'invalid_request',
        // `forbidden`: the address is that of a tenant that the user may not use.
        errors: [
          'authentication_failed',
          'invalid_service_credentials',
          'password_change_required',
          'forbidden',
          'rate_limited',
        ],
      },
      schema: { body: CodeBody, response: { 200: LoginResponse } },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { code, next, client_id: named, code_verifier: verifier } = request.body;
      const clientId = await exchangingClient(request, named, clients);
      return signedInResponse(await auth.exchangeCode({ code, next, verifier, clientId, origin: originOf(request) }));
    },
  );
}

/**
 * The client that exchanges the code. It authenticates by its credentials. A public client sends its id alone, since
 * the verifier is its proof (RFC 7636). Undefined where no client is named, as for sign-ins that named none.
 * @throws ServiceError `invalid_service_credentials`, `rate_limited`
 */
async function exchangingClient(
  { headers, ip }: FastifyRequest,
  named: string | undefined,
  clients: Clients,
): Promise<string | undefined> {
  if (!hasServiceCredentials(headers)) {
    if (named !== undefined && clients.findPublic(named) === undefined) throw wrongClient();
    return named;
  }
  const client = await clients.authenticate(headers, ip);
  if (client?.kind !== 'application' || (named !== undefined && named !== client.clientId)) throw wrongClient();
  return client.clientId;
}
