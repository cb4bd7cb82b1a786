// Routes of second factors (docs/adr/0046): the caller's own at /auth/second-factor, and an administrator's DELETE for
// a user who lost the device.
import Type, { type TSchema } from 'typebox';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../shared/actor.ts';
import { IdParams } from '../shared/fields.ts';
import { BASE_PATH } from '../shared/routes.ts';
import {
  ConfirmBody,
  ProofBody,
  RecoveryCodes,
  SecondFactorSetup,
  SecondFactorState,
  SetupBody,
} from './second-factor-schema.ts';
import type { SecondFactorService } from './second-factor-service.ts';

const PATH = `${BASE_PATH}/auth/second-factor`;
const tags = ['auth'];
const config = { permission: 'engine-account:guard' } as const;
const changing = { ...config, errors: ['authentication_failed', 'conflict', 'rate_limited', 'unavailable'] } as const;

export function registerSecondFactor(app: HttpApp, secondFactor: SecondFactorService): void {
  registerSetup(app, secondFactor);
  registerRenewal(app, secondFactor);
  registerRemoval(app, secondFactor);
}

/** The options of a route that changes the caller's own second factor. */
function changeOptions<Body extends TSchema, Response extends TSchema>(
  summary: string,
  body: Body,
  response: Response,
) {
  return { config: changing, schema: { tags, summary, body, response: { 200: response } } };
}

function registerSetup(app: HttpApp, secondFactor: SecondFactorService): void {
  app.get(
    PATH,
    {
      config,
      schema: { tags, summary: 'Whether the caller has a second factor here', response: { 200: SecondFactorState } },
    },
    async (request) => secondFactor.read(requirePrincipal(request)),
  );
  app.post(
    PATH,
    changeOptions(
      'Begin to set one up: a secret for an authenticator app, not in use before it is confirmed',
      SetupBody,
      SecondFactorSetup,
    ),
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { current_password: password, code } = request.body;
      return secondFactor.begin(actorOf(request), { password, code });
    },
  );
  app.post(
    `${PATH}/confirm`,
    changeOptions('Turn it on with its first code; the user’s other sessions end', ConfirmBody, RecoveryCodes),
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return { recovery_codes: [...(await secondFactor.confirm(actorOf(request), request.body.code))] };
    },
  );
}

function registerRenewal(app: HttpApp, secondFactor: SecondFactorService): void {
  app.post(
    `${PATH}/recovery-codes`,
    changeOptions('New recovery codes in place of those that are left', ProofBody, RecoveryCodes),
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { current_password: password, code } = request.body;
      return { recovery_codes: [...(await secondFactor.renewRecoveryCodes(actorOf(request), { password, code }))] };
    },
  );
}

function registerRemoval(app: HttpApp, secondFactor: SecondFactorService): void {
  app.post(
    `${PATH}/disable`,
    {
      config: changing,
      schema: {
        tags,
        summary: 'Turn it off; the user’s other sessions end',
        body: ProofBody,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { current_password: password, code } = request.body;
      await secondFactor.disable(actorOf(request), { password, code });
      return reply.code(204).send(null);
    },
  );
  app.delete(
    `${BASE_PATH}/users/:id/second-factor`,
    {
      config: { permission: 'engine-user:administer', errors: ['conflict'] },
      schema: {
        tags: ['users'],
        summary: 'Take away the second factor of a user who lost the device; their sessions end',
        params: IdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await secondFactor.reset(actorOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );
}
