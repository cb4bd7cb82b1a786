// Proof Key for Code Exchange (RFC 7636) for the one-time code of the handshake (decision I3; RFC 9700 §2.1.1). The
// code is bound to a challenge, the hash of a secret verifier of the client. It is exchanged only for that verifier.
// Only `S256` is supported.
import Type from 'typebox';
import { isSameSecret, sha256 } from '#lib/crypto/secret.ts';
import { type Issue, ServiceError } from '#lib/errors.ts';

const METHOD = 'S256';
const CHALLENGE = '^[A-Za-z0-9_-]{43}$';

/** The request fields of a sign-in that carry a challenge. */
export const CHALLENGE_FIELDS = {
  code_challenge: Type.Optional(
    Type.String({
      pattern: CHALLENGE,
      patternHint: 'must be the SHA-256 of a verifier in base64url, 43 characters',
      description:
        'With `response_mode=code`: the code is exchanged only for the verifier of which this is the SHA-256 (RFC 7636)',
    }),
  ),
  code_challenge_method: Type.Optional(
    Type.Enum([METHOD], { description: 'Of `code_challenge`: `S256`, which must be named' }),
  ),
};

/** The request field of the exchange that carries the verifier. */
export const VERIFIER_FIELD = {
  code_verifier: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._~-]{43,128}$',
      patternHint: "must be 43 to 128 letters, digits, '-', '.', '_' and '~'",
      description: 'Of the sign-in that the code is of, when it carried a `code_challenge`, and only then',
    }),
  ),
};

interface ChallengeFields {
  readonly client_id?: string | undefined;
  readonly response_mode?: string | undefined;
  readonly code_challenge?: string | undefined;
  readonly code_challenge_method?: string | undefined;
}

/**
 * The challenge; undefined for a sign-in without one.
 * @throws ServiceError `invalid_request` for an incomplete challenge, for one where no code is requested, and for a
 * client without one (docs/adr/0054)
 */
export function readChallenge({
  client_id: clientId,
  response_mode: mode,
  code_challenge: challenge,
  code_challenge_method: method,
}: ChallengeFields): string | undefined {
  if (challenge === undefined && method === undefined && clientId === undefined) return undefined;
  const issues: Issue[] = [];
  if (challenge === undefined) issues.push({ field: 'code_challenge', message: "'code_challenge' is missing" });
  if (method !== METHOD)
    issues.push({ field: 'code_challenge_method', message: `'code_challenge_method' must be ${METHOD}` });
  if (mode !== 'code')
    issues.push({ field: 'response_mode', message: "'code_challenge' needs 'response_mode' to be code" });
  if (issues.length > 0)
    throw new ServiceError('invalid_request', issues.map(({ message }) => message).join('; '), { issues });
  return challenge;
}

/** Whether a text has the form of a challenge. */
export function isChallenge(text: string): boolean {
  return new RegExp(CHALLENGE).test(text);
}

/** The fields that carry the challenge to the next page; none without a challenge. */
export function challengeFields(challenge: string | undefined): readonly (readonly [name: string, value: string])[] {
  if (challenge === undefined) return [];
  return [
    ['code_challenge', challenge],
    ['code_challenge_method', METHOD],
  ];
}

/**
 * Whether a code with this challenge may be exchanged with this verifier. Both or neither must be present, so that
 * nobody can omit the proof.
 */
export function isProven(challenge: string | undefined, verifier: string | undefined): boolean {
  if (challenge === undefined || verifier === undefined) return challenge === verifier;
  return isSameSecret(challenge, sha256(verifier).toString('base64url'));
}
