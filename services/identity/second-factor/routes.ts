// Routes of /api/auth/second-factor, the user's own second factor, and of its removal by an SU admin after the loss of
// the device.
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { GuidText } from '../text.ts';
import { offsetTimestamp, plainTimestamp } from '../time.ts';
import type { SecondFactorManagement } from './management-service.ts';
import {
  BeginBody,
  BothBody,
  ConfirmBody,
  MessageResponse,
  RecoveryCodesResponse,
  ResetResponse,
  SetupResponse,
  StateResponse,
} from './schema.ts';

const PATH = '/api/auth/second-factor';
const config = { permission: 'second-factor:manage-own' } as const;
const changing = { ...config, errors: ['authentication_failed', 'conflict', 'rate_limited'] } as const;
const tags = ['auth'];

export function registerSecondFactorRoutes(app: HttpApp, secondFactor: SecondFactorManagement): void {
  registerSetup(app, secondFactor);
  registerChanges(app, secondFactor);
  registerReset(app, secondFactor);
}

function registerSetup(app: HttpApp, secondFactor: SecondFactorManagement): void {
  app.get(
    PATH,
    { config, schema: { tags, summary: 'Whether the caller has a second factor', response: { 200: StateResponse } } },
    async (request, reply) => {
      withoutTrace(reply);
      const { since, recoveryCodesLeft, isRequired } = await secondFactor.read(actorOf(request));
      if (since === undefined) return { enabled: false, required: isRequired };
      const enabled_at = plainTimestamp(since);
      return { enabled: true, required: isRequired, enabled_at, recovery_codes_left: recoveryCodesLeft };
    },
  );
  app.post(
    PATH,
    {
      config: changing,
      schema: {
        tags,
        summary: 'Begin to set one up: a secret for an authenticator app, not in use before it is confirmed',
        body: BeginBody,
        response: { 200: SetupResponse },
      },
    },
    async (request, reply) => {
      withoutTrace(reply);
      const { current_password: password, code } = request.body;
      const { secret, otpauthUri, expiresAt } = await secondFactor.begin(actorOf(request), { password, code });
      return { secret, otpauth_uri: otpauthUri, expires_at: offsetTimestamp(expiresAt) };
    },
  );
  app.post(
    `${PATH}/confirm`,
    {
      config: changing,
      schema: {
        tags,
        summary: 'Turn it on with its first code; the user’s other tokens are revoked',
        body: ConfirmBody,
        response: { 200: RecoveryCodesResponse },
      },
    },
    async (request, reply) => {
      withoutTrace(reply);
      const recovery_codes = [...(await secondFactor.confirm(actorOf(request), request.body.code))];
      return { message: 'The second factor is on; other sessions are signed out', recovery_codes };
    },
  );
}

function registerChanges(app: HttpApp, secondFactor: SecondFactorManagement): void {
  app.post(
    `${PATH}/recovery-codes`,
    {
      config: changing,
      schema: {
        tags,
        summary: 'New recovery codes in place of those that are left',
        body: BothBody,
        response: { 200: RecoveryCodesResponse },
      },
    },
    async (request, reply) => {
      withoutTrace(reply);
      const { current_password: password, code } = request.body;
      const recovery_codes = [...(await secondFactor.renewRecoveryCodes(actorOf(request), { password, code }))];
      return { message: 'Earlier recovery codes no longer work', recovery_codes };
    },
  );
  app.post(
    `${PATH}/disable`,
    {
      config: changing,
      schema: {
        tags,
        summary: 'Turn it off; the user’s other tokens are revoked',
        body: BothBody,
        response: { 200: MessageResponse },
      },
    },
    async (request) => {
      const { current_password: password, code } = request.body;
      await secondFactor.disable(actorOf(request), { password, code });
      return { message: 'The second factor is off; other sessions are signed out' };
    },
  );
}

function registerReset(app: HttpApp, secondFactor: SecondFactorManagement): void {
  app.delete(
    '/api/admin/users/:user_guid/second-factor',
    {
      config: { permission: 'directory:administer', errors: ['conflict'] },
      schema: {
        tags: ['admin'],
        summary: 'Take away the second factor of a user who lost the device; all tokens of the user are revoked',
        params: Type.Object({ user_guid: GuidText }, { additionalProperties: false }),
        response: { 200: ResetResponse },
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
