// The two cookies of a service's sign-in (decision G8): the one of a sign-in that is under way, and the session, which holds the token of
// identity. Both are sealed under a key that is not in the browser: a cookie that was read says nothing, and one that was made up is none.
import { Buffer } from 'node:buffer';
import type { Clock } from '../clock.ts';
import { createSealer, type Sealer } from '../secrets/sealer.ts';

/** A sign-in is begun and ended within this time. */
const SIGN_IN_MS = 10 * 60_000;
/** What a browser is sure to keep (RFC 6265 §6.1), with the attributes. */
const MOST_BYTES = 3900;

export interface SignInUnderWay {
  /** What identity hands back as `state`; nobody else knows it. */
  readonly state: string;
  /** A path on the public origin. */
  readonly returnTo: string;
}

export interface SessionCookies {
  /** `Set-Cookie` that begins a sign-in, and the one that ends it. */
  beginning(underWay: SignInUnderWay): string;
  readonly noBeginning: string;
  /** `Set-Cookie` of the session with this token, and the one that ends it. @throws Error for a token that no cookie can hold */
  session(token: string): string;
  readonly noSession: string;
  /** What a `Cookie` header brings; undefined for what is not there, not ours or out of time. */
  readBeginning(header: string | undefined): SignInUnderWay | undefined;
  readToken(header: string | undefined): string | undefined;
}

export interface SessionCookieOptions {
  /** Whose cookies they are: they open nothing at another service. */
  readonly service: string;
  /** 32 bytes; all nodes need the same. */
  readonly key: Uint8Array;
  /** Over https the cookies are bound to this very host (`__Host-`), so that no other can set them. */
  readonly isSecure: boolean;
  readonly clock: Clock;
}

export function createSessionCookies({ service, key, isSecure, clock }: SessionCookieOptions): SessionCookies {
  const sealer = createSealer([key], 'kedja session');
  const prefix = isSecure ? '__Host-' : '';
  const [beginningName, sessionName] = [`${prefix}kedja-${service}-sign-in`, `${prefix}kedja-${service}`];
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const set = (name: string, value: string, more = '') => `${name}=${value}${attributes}${more}`;
  const sealed = (text: string, name: string) => sealer.seal(text, name).toString('base64url');

  return {
    beginning({ state, returnTo }) {
      const text = JSON.stringify([state, returnTo, clock.now() + SIGN_IN_MS]);
      return set(beginningName, sealed(text, beginningName), `; Max-Age=${SIGN_IN_MS / 1000}`);
    },
    noBeginning: set(beginningName, '', '; Max-Age=0'),
    session(token) {
      const cookie = set(sessionName, sealed(token, sessionName));
      if (cookie.length > MOST_BYTES) throw new Error('The token is too long for a cookie');
      return cookie;
    },
    noSession: set(sessionName, '', '; Max-Age=0'),
    readBeginning(header) {
      const [state, returnTo, until]: unknown[] = parseList(open(sealer, header, beginningName));
      if (typeof state !== 'string' || typeof returnTo !== 'string' || typeof until !== 'number') return undefined;
      return until > clock.now() ? { state, returnTo } : undefined;
    },
    readToken: (header) => open(sealer, header, sessionName),
  };
}

function open(sealer: Sealer, header: string | undefined, name: string): string | undefined {
  const value = cookieIn(header, name);
  if (value === undefined) return undefined;
  try {
    return sealer.open(Buffer.from(value, 'base64url'), name);
  } catch {
    return undefined;
  }
}

/** The first of that name, as the most exact path comes first (RFC 6265 §5.4). */
function cookieIn(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1) || undefined;
}

function parseList(text: string | undefined): unknown[] {
  if (text === undefined) return [];
  const parsed: unknown = JSON.parse(text);
  return Array.isArray(parsed) ? parsed : [];
}
