// Time-based one-time passwords as authenticator apps make them (RFC 6238: SHA-1, 6 digits, 30 seconds). Pure.
import { Secret, TOTP } from 'otpauth';

const PERIOD_SECONDS = 30;
const DIGITS = 6;
/** A clock may be one step early or late (RFC 6238 §5.2). */
const WINDOW = 1;
/** As long as the output of SHA-1 (RFC 4226 §4, R6). */
const SECRET_BYTES = 20;
const ISSUER = 'Kedja';

/** A new secret in base32, as people type it. */
export function newSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** What the QR code of the set-up says; it holds the secret. */
export function otpauthUri(secret: string, account: string): string {
  const settings = { issuer: ISSUER, label: account, algorithm: 'SHA1', digits: DIGITS, period: PERIOD_SECONDS };
  return new TOTP({ ...settings, secret }).toString();
}

/** The time step that the code belongs to; undefined when it is none of the present step or its neighbours. */
export function stepOfCode(code: string, secret: string, now: number): number | undefined {
  const delta = TOTP.validate({
    token: code,
    secret: Secret.fromBase32(secret),
    digits: DIGITS,
    period: PERIOD_SECONDS,
    timestamp: now,
    window: WINDOW,
  });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}
