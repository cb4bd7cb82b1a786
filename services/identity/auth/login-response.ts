// HTTP responses of a sign-in. They have the token, the redirect of the handshake with a token or a one-time code
// (decision I3), or the challenge of a second factor.
import type { FastifyReply } from 'fastify';
import type { Destinations } from '../shared/destinations.ts';
import { invalidRedirect, type Journey } from '../shared/journey.ts';
import { withParameters } from '../shared/redirect-target.ts';
import { offsetTimestamp } from '../time.ts';
import type { Granted } from './grants.ts';
import type { LoginRoutesDeps } from './login-deps.ts';
import type { CreatedChallenge, Handshake } from './second-step/challenges.ts';
import type { SignedIn } from './token-issuer.ts';

/** The response to a direct sign-in. */
export function signedInResponse(signedIn: SignedIn) {
  const { token, userGuid, mustChangePassword, passwordChangeReason: reason, mustSetUpSecondFactor } = signedIn;
  return {
    token,
    user_guid: userGuid,
    ...(mustChangePassword ? { must_change_password: true } : {}),
    ...(reason === undefined ? {} : { password_change_reason: reason }),
    ...(mustSetUpSecondFactor ? { must_set_up_second_factor: true } : {}),
  };
}

/** The response when a code is required. */
export function challengeResponse({ challenge, expiresAt }: CreatedChallenge) {
  return { second_factor_required: true as const, challenge, expires_at: offsetTimestamp(expiresAt) };
}

/** `journey`: of a sign-in at our own pages, whose language is kept. */
type RedirectDeps = Pick<LoginRoutesDeps, 'destinations' | 'browsers'> & { readonly journey?: Journey | undefined };

/** The response with the grant: directly, or by the redirect of the handshake. */
export function grantedResponse(reply: FastifyReply, granted: Granted, deps: RedirectDeps) {
  if (granted.kind === 'handshake') return redirectOn(reply, granted, deps);
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  return signedInResponse(granted.signedIn);
}

/** The redirect that ends a handshake, with the cookie of the browser session that it opened. */
export function redirectOn(
  reply: FastifyReply,
  { handshake, carried, opened }: Extract<Granted, { kind: 'handshake' }>,
  { destinations, browsers, journey }: RedirectDeps,
): FastifyReply {
  browsers.keep(reply, opened);
  if (journey !== undefined) browsers.keepLanguage(reply, journey.language);
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  const target = requireTarget(handshake, destinations);
  const state = handshake.state === undefined ? {} : { state: handshake.state };
  return reply.redirect(withParameters(target, { ...carried, ...state }), 302);
}

/** @throws ServiceError `invalid_redirect` for a handshake whose `next` is not allowed */
export function requireTarget(
  { next, clientId }: Pick<Handshake, 'next' | 'clientId'>,
  destinations: Destinations,
): URL {
  const target = destinations.targetOf(next, clientId);
  if (target === undefined) throw invalidRedirect();
  return target;
}
