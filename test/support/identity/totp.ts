// An authenticator app for tests: the codes of a secret (RFC 6238), and people who have one.
import { Secret, TOTP } from 'otpauth';
import { type Clock, systemClock } from '#lib/clock.ts';
import type { Identity } from './identity.ts';
import { makeProfessional, PASSWORD } from './identity-people.ts';

const STEP_MS = 30_000;

/** The six digits that an app shows at that time. */
export function codeAt(secret: string, time: number): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: time });
}

/** Three valid codes of one secret: of the previous, the present and the next step. */
export function codesFrom(secret: string, now = Date.now()): [string, string, string] {
  return [codeAt(secret, now - STEP_MS), codeAt(secret, now), codeAt(secret, now + STEP_MS)];
}

interface Account {
  readonly headers: Record<string, string>;
  readonly password: string;
}

/** Sets up a second factor; two codes of the secret are left to use within half a minute. */
export async function setUpSecondFactor({ app }: Identity, { headers, password }: Account, clock: Clock = systemClock) {
  const post = (url: string, payload: object) => app.inject({ method: 'POST', url, headers, payload });
  const { secret } = (await post('/api/auth/second-factor', { current_password: password })).json();
  // When a step ends between the two lines below, its code is a step too old.
  for (let tries = 0; tries < 3; tries += 1) {
    const [first, second, third] = codesFrom(secret, clock.now());
    const confirmed = await post('/api/auth/second-factor/confirm', { code: first });
    if (confirmed.statusCode !== 200) continue;
    const recoveryCodes: string[] = confirmed.json().recovery_codes;
    return { secret: String(secret), codes: [second, third] as const, recoveryCodes };
  }
  throw new Error('The second factor cannot be set up');
}

/** A professional with a second factor. */
export async function makeGuarded(identity: Identity, clock: Clock = systemClock) {
  const professional = await makeProfessional(identity);
  const factor = await setUpSecondFactor(identity, { headers: professional.headers, password: PASSWORD }, clock);
  return { ...professional, ...factor };
}
