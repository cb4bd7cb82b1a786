// Begins a sign-in at identity (decision I3): makes a state and a verifier for this browser. The query of the redirect
// requests a one-time code bound to both (RFC 7636, S256).
import { randomSecret, sha256 } from '../crypto/secret.ts';

export interface Handshake {
  readonly state: string;
  readonly verifier: string;
  /** The query of identity's page. */
  readonly query: URLSearchParams;
}

/** `next` is where identity leads back to, `language` that of its page. */
export function beginHandshake(next: string, language: string): Handshake {
  const state = randomSecret();
  const verifier = randomSecret();
  const proof = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
  const query = new URLSearchParams({ next, state, response_mode: 'code', ...proof, lang: language });
  return { state, verifier, query };
}

/** RFC 7636 §4.2, S256. */
function challengeOf(verifier: string): string {
  return sha256(verifier).toString('base64url');
}
