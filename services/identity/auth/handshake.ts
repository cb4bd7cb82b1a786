// The end of a handshake (decision I3): the sign-in whose answer is a redirect that carries the token, or a one-time code for it.
import type { FastifyReply } from 'fastify';
import { withParameters } from '../shared/redirect-target.ts';
import type { SignInAttempt } from './credential-check.ts';
import type { AuthService } from './service.ts';

export interface Handshake {
  readonly attempt: SignInAttempt;
  readonly next: string;
  /** `next`, parsed and found to be allowed. */
  readonly target: URL;
  readonly state?: string | undefined;
  readonly responseMode?: string | undefined;
}

/** @throws ServiceError as `signIn`, and `password_change_required` for a temporary password at a page */
export async function answerHandshake(auth: AuthService, reply: FastifyReply, handshake: Handshake) {
  const { attempt, next, target, state, responseMode } = handshake;
  const carried: { code: string } | { token: string } =
    responseMode === 'code'
      ? { code: await auth.signInForCode({ ...attempt, next }) }
      : { token: (await auth.signIn(attempt)).token };
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  return reply.redirect(withParameters(target, { ...carried, ...(state === undefined ? {} : { state }) }), 302);
}
