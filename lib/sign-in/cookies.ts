// The cookies of a service's login (decision G8): pending logins, and the session, which holds identity's token. All
// are sealed under a server-side key, so that a cookie reveals nothing and cannot be forged.
import { Buffer } from 'node:buffer';
import { type Clock, MINUTE_MS } from '../clock.ts';
import type { KeySet } from '../secrets/key-set.ts';
import { createSealer } from '../secrets/sealer.ts';
import { cookieIn, createCookieWriter, withoutCookies } from './cookie-header.ts';
import { type CookieCodec, createPendingSignIns, type PendingSignIns } from './pending-sign-ins.ts';

/** The longest time from the begin to the end of a sign-in, when nothing else is said. */
const SIGN_IN_MS = 10 * MINUTE_MS;
/** The size that every browser stores (RFC 6265 §6.1), with the attributes. */
const MOST_BYTES = 3900;

export interface SessionCookies {
  readonly pending: PendingSignIns;
  /**
   * `Set-Cookie` of the session with this token, and the one that ends it.
   * @throws Error for a token that no cookie can hold
   */
  session(token: string): string;
  readonly noSession: string;
  /** The token of the session in a `Cookie` header; undefined when it is absent or not ours. */
  readToken(header: string | undefined): string | undefined;
  /** A `Cookie` header without the cookies of this service; undefined when nothing is left. */
  without(header: string | undefined): string | undefined;
}

export interface SessionCookieOptions {
  /** The service of the cookies. Another service does not accept them. */
  readonly service: string;
  /** The same on all nodes. */
  readonly keys: KeySet;
  /** Over https the cookies are bound to this very host (`__Host-`), so that no other can set them. */
  readonly isSecure: boolean;
  readonly clock: Clock;
  /** The longest time from the begin to the end of a sign-in. */
  readonly pendingMs?: number | undefined;
}

export function createSessionCookies(options: SessionCookieOptions): SessionCookies {
  const { service, keys, isSecure, clock, pendingMs = SIGN_IN_MS } = options;
  const cookies = createCookieWriter({ isSecure });
  const codec = sealedBy(keys);
  const sessionName = `${cookies.namePrefix}kedja-${service}`;
  const pendingPrefix = `${sessionName}-sign-in-`;
  return {
    pending: createPendingSignIns({
      prefix: pendingPrefix,
      cookies,
      codec,
      clock,
      lifetimeMs: pendingMs,
    }),
    session(token) {
      const cookie = cookies.set(sessionName, codec.write(token, sessionName));
      if (cookie.length > MOST_BYTES) throw new Error('The token is too long for a cookie');
      return cookie;
    },
    noSession: cookies.end(sessionName),
    readToken(header) {
      const value = cookieIn(header, sessionName);
      return value && codec.read(value, sessionName);
    },
    without: (header) => withoutCookies(header, (name) => name === sessionName || name.startsWith(pendingPrefix)),
  };
}

/** A cookie of a deleted key counts as none, and is not reported as a missing key: its user signs in again. */
function sealedBy({ onMissing: _, ...keys }: KeySet): CookieCodec {
  const sealer = createSealer({ keys, purpose: 'kedja session', place: 'a cookie' });
  return {
    write: (text, name) => sealer.seal(text, name).toString('base64url'),
    read(value, name) {
      try {
        return sealer.open(Buffer.from(value, 'base64url'), name);
      } catch {
        return undefined;
      }
    },
  };
}
