// /api/auth/accounts/…: the engine's questions about users who sign in there (docs/adr/0046). Identity checks its own
// accounts by its own rules, and reports only to the engine whether an address is known.
import Type from 'typebox';
import {
  AddressesBody,
  AddressesResponse,
  DelegatedSignInBody,
  DelegatedSignInResponse,
  OutcomeBody,
} from '#clients/account-client.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { Origin } from '../actor.ts';
import type { DelegatedSignIn } from './delegated-sign-in.ts';

const PATH = '/api/auth/accounts';

export function registerDelegatedRoutes(app: HttpApp, delegated: DelegatedSignIn): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'account:verify' });
  routes.post(
    `${PATH}/sign-in`,
    'Sign in somebody at the engine whose address is identity’s; for the engine',
    {
      config: { errors: ['authentication_failed', 'rate_limited', 'unavailable'] },
      schema: { body: DelegatedSignInBody, response: { 200: DelegatedSignInResponse } },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { email, password, code } = request.body;
      return delegated.signIn({ email, password, code, origin: originIn(request.body) });
    },
  );
  routes.post(
    `${PATH}/known`,
    'Which addresses belong to accounts of identity; for the engine',
    { schema: { body: AddressesBody, response: { 200: AddressesResponse } } },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return { known: await delegated.knownAmong(request.body.emails) };
    },
  );
  routes.post(
    `${PATH}/outcomes`,
    'Count how a sign-in ended at an address that is not identity’s; for the engine',
    { config: { errors: ['rate_limited'] }, schema: { body: OutcomeBody, response: { 204: Type.Null() } } },
    async (request, reply) => {
      const { email, outcome } = request.body;
      await delegated.recordOutcome(email, outcome);
      return reply.code(204).send(null);
    },
  );
}

/** The user's address and browser, as the engine saw them. */
function originIn({ address, request_id: requestId }: { address: string; request_id: string }): Origin {
  return { address, userAgent: null, requestId };
}
