// Routes of /api/auth/second-factor, the user's own second factor, and of its removal by an SU admin after the loss of
// the device.
import type { FastifyReply } from 'fastify';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { ConfirmBody, ProofBody, SetupBody } from '#lib/second-factor/schema.ts';
import { actorOf } from '../actor.ts';
import { MessageResponse, UserChanged, UserParams } from '../shared/routes/schema.ts';
import { offsetTimestamp, plainTimestamp } from '../time.ts';
import type { SecondFactorManagement } from './management-service.ts';
import { RecoveryCodesResponse, SetupResponse, StateResponse } from './schema.ts';

const PATH = '/api/auth/second-factor';
const OWN = { tags: ['auth'], permission: 'second-factor:manage-own' } as const;
const config = { errors: ['authentication_failed', 'conflict', 'rate_limited'] } as const;

export function registerSecondFactorRoutes(app: HttpApp, secondFactor: SecondFactorManagement): void {
  registerSetup(app, secondFactor);
  registerChanges(app, secondFactor);
  registerReset(app, secondFactor);
}

function registerSetup(app: HttpApp, secondFactor: SecondFactorManagement): void {
  const routes = apiRoutes(app, OWN);
  routes.get(
    PATH,
    'Whether the caller has a second factor',
    { schema: { response: { 200: StateResponse } } },
    async (request, reply) => {
      withoutTrace(reply);
      const { since, recoveryCodesLeft, isRequired } = await secondFactor.read(actorOf(request));
      if (since === undefined) return { enabled: false, required: isRequired };
      const enabled_at = plainTimestamp(since);
      return { enabled: true, required: isRequired, enabled_at, recovery_codes_left: recoveryCodesLeft };
    },
  );
  routes.post(
    PATH,
    'Begin to set one up, or to replace it: a secret for an authenticator app, not in use before it is confirmed',
    { config, schema: { body: SetupBody, response: { 200: SetupResponse } } },
    async (request, reply) => {
      withoutTrace(reply);
      const { current_password: password, code } = request.body;
      const { secret, otpauthUri, expiresAt } = await secondFactor.begin(actorOf(request), { password, code });
      return { secret, otpauth_uri: otpauthUri, expires_at: offsetTimestamp(expiresAt) };
    },
  );
  routes.post(
    `${PATH}/confirm`,
    'Turn it on with the first code of the secret, which replaces an earlier one; the user’s other tokens are revoked',
    { config, schema: { body: ConfirmBody, response: { 200: RecoveryCodesResponse } } },
    async (request, reply) => {
      withoutTrace(reply);
      const { recoveryCodes } = await secondFactor.confirm(actorOf(request), request.body.code);
      return { message: 'The second factor is on; other sessions are signed out', recovery_codes: [...recoveryCodes] };
    },
  );
}

function registerChanges(app: HttpApp, secondFactor: SecondFactorManagement): void {
  const routes = apiRoutes(app, OWN);
  routes.post(
    `${PATH}/recovery-codes`,
    'New recovery codes in place of those that are left',
    { config, schema: { body: ProofBody, response: { 200: RecoveryCodesResponse } } },
    async (request, reply) => {
      withoutTrace(reply);
      const { current_password: password, code } = request.body;
      const recovery_codes = [...(await secondFactor.renewRecoveryCodes(actorOf(request), { password, code }))];
      return { message: 'Earlier recovery codes no longer work', recovery_codes };
    },
  );
  routes.post(
    `${PATH}/disable`,
    'Turn it off; the user’s other tokens are revoked',
    { config, schema: { body: ProofBody, response: { 200: MessageResponse } } },
    async (request) => {
      const { current_password: password, code } = request.body;
      await secondFactor.disable(actorOf(request), { password, code });
      return { message: 'The second factor is off; other sessions are signed out' };
    },
  );
}

function registerReset(app: HttpApp, secondFactor: SecondFactorManagement): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  routes.delete(
    '/api/admin/users/:user_guid/second-factor',
    'Take away the second factor of a user who lost the device; all tokens of the user are revoked',
    {
      config: { errors: ['conflict'] },
      schema: {
        params: UserParams,
        response: { 200: UserChanged },
      },
    },
    async (request) => {
      const { user_guid } = request.params;
      await secondFactor.reset(actorOf(request), user_guid);
      return { message: 'The user has no second factor now and is signed out', user_guid };
    },
  );
}

function withoutTrace(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store');
}
