// The handshake of a journey: where the sign-in leads, and what it carries there (decision I3).
import { invalidRedirect, type Journey } from '../../shared/journey.ts';
import type { Handshake } from '../second-step/challenges.ts';

/** @throws ServiceError `invalid_redirect` for a journey without a redirect address */
export function handshakeOf({ goal, clientId, state, responseMode, codeChallenge }: Journey): Handshake {
  if (goal === undefined) throw invalidRedirect();
  return { next: goal.next, clientId, state, mode: responseMode === 'code' ? 'code' : 'token', codeChallenge };
}
