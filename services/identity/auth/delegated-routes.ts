// /api/auth/accounts/…: what the engine asks about people who sign in there (docs/adr/0046). Identity judges its own
// accounts, with its own rules, and answers whose address it is to nobody but the engine.
import Type from 'typebox';
import {
  AddressesBody,
  AddressesResponse,
  DelegatedSignInBody,
  DelegatedSignInResponse,
  OutcomeBody,
} from '#clients/account-client.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { Origin } from '../actor.ts';
import type { DelegatedSignIn } from './delegated-sign-in.ts';

const PATH = '/api/auth/accounts';
const tags = ['auth'];
const permission = 'account:judge';

export function registerDelegatedRoutes(app: HttpApp, delegated: DelegatedSignIn): void {
  app.post(
    `${PATH}/sign-in`,
    {
      config: { permission, errors: ['authentication_failed', 'rate_limited', 'unavailable'] },
      schema: {
        tags,
        summary: 'Sign in somebody at the engine whose address is identity’s; for the engine',
        body: DelegatedSignInBody,
        response: { 200: DelegatedSignInResponse },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { email, password, code } = request.body;
      return delegated.signIn({ email, password, code, origin: originIn(request.body) });
    },
  );
  app.post(
    `${PATH}/known`,
    {
      config: { permission },
      schema: {
        tags,
        summary: 'Which addresses belong to accounts of identity; for the engine',
        body: AddressesBody,
        response: { 200: AddressesResponse },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return { known: await delegated.knownAmong(request.body.emails) };
    },
  );
  app.post(
    `${PATH}/outcomes`,
    {
      config: { permission, errors: ['rate_limited'] },
      schema: {
        tags,
        summary: 'Count how a sign-in ended at an address that is not identity’s; for the engine',
        body: OutcomeBody,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { email, outcome } = request.body;
      await delegated.recordOutcome(email, outcome);
      return reply.code(204).send(null);
    },
  );
}

/** Where the person is, as the engine saw it. */
function originIn({ address, request_id: requestId }: { address: string; request_id: string }): Origin {
  return { address, userAgent: null, requestId };
}
