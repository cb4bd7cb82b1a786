// Routes of second factors (docs/adr/0046): the caller's own at /auth/second-factor, and an administrator's DELETE for
// a user who lost the device.
import Type, { type TSchema } from 'typebox';
import { type ApiRoutes, apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { ConfirmBody, ProofBody, SetupBody } from '#lib/second-factor/schema.ts';
import { actorOf } from '../shared/actor.ts';
import { IdParams } from '../shared/fields.ts';
import { BASE_PATH } from '../shared/routes.ts';
import { RecoveryCodes, SecondFactorSetup, SecondFactorState } from './second-factor-schema.ts';
import type { SecondFactorService } from './second-factor-service.ts';

const PATH = `${BASE_PATH}/auth/second-factor`;
const changing = { errors: ['authentication_failed', 'conflict', 'rate_limited', 'unavailable'] } as const;

export function registerSecondFactor(app: HttpApp, secondFactor: SecondFactorService): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'engine-account:guard' });
  registerSetup(routes, secondFactor);
  registerRenewal(routes, secondFactor);
  registerRemoval(app, routes, secondFactor);
}

/** The options of a route that changes the caller's own second factor. */
function changeOptions<Body extends TSchema, Response extends TSchema>(body: Body, response: Response) {
  return { config: changing, schema: { body, response: { 200: response } } };
}

function registerSetup(routes: ApiRoutes, secondFactor: SecondFactorService): void {
  routes.get(
    PATH,
    'Whether the caller has a second factor here',
    { schema: { response: { 200: SecondFactorState } } },
    async (request) => secondFactor.read(requirePrincipal(request)),
  );
  routes.post(
    PATH,
    'Begin to set one up: a secret for an authenticator app, not in use before it is confirmed',
    changeOptions(SetupBody, SecondFactorSetup),
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { current_password: password, code } = request.body;
      return secondFactor.begin(actorOf(request), { password, code });
    },
  );
  routes.post(
    `${PATH}/confirm`,
    'Turn it on with its first code; the user’s other sessions end',
    changeOptions(ConfirmBody, RecoveryCodes),
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return { recovery_codes: [...(await secondFactor.confirm(actorOf(request), request.body.code))] };
    },
  );
}

function registerRenewal(routes: ApiRoutes, secondFactor: SecondFactorService): void {
  routes.post(
    `${PATH}/recovery-codes`,
    'New recovery codes in place of those that are left',
    changeOptions(ProofBody, RecoveryCodes),
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { current_password: password, code } = request.body;
      return { recovery_codes: [...(await secondFactor.renewRecoveryCodes(actorOf(request), { password, code }))] };
    },
  );
}

function registerRemoval(app: HttpApp, routes: ApiRoutes, secondFactor: SecondFactorService): void {
  routes.post(
    `${PATH}/disable`,
    'Turn it off; the user’s other sessions end',
    { config: changing, schema: { body: ProofBody, response: { 204: Type.Null() } } },
    async (request, reply) => {
      const { current_password: password, code } = request.body;
      await secondFactor.disable(actorOf(request), { password, code });
      return reply.code(204).send(null);
    },
  );
  apiRoutes(app, { tags: ['users'], permission: 'engine-user:administer' }).remove(
    `${BASE_PATH}/users/:id/second-factor`,
    'Take away the second factor of a user who lost the device; their sessions end',
    {
      config: { errors: ['conflict'] },
      params: IdParams,
      run: (request) => secondFactor.reset(actorOf(request), request.params.id),
    },
  );
}
