// The cookies of a service's sign-in (decision G8): one for each sign-in that is under way, as several tabs may sign in at once, and the
// session, which holds the token of identity. All are sealed under a key that is not in the browser: a cookie that was read says nothing, and one that was made up is none.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { createSealer, type Sealer } from '../secrets/sealer.ts';

/** A sign-in is begun and ended within this time. */
const SIGN_IN_MS = 10 * 60_000;
/** Of sign-ins under way in one browser: the oldest make room for the newest. */
const MOST_UNDER_WAY = 5;
/** For all of them together, as servers on the way bound the headers of a request. */
const ROOM_UNDER_WAY = 4000;
/** What a browser is sure to keep (RFC 6265 §6.1), with the attributes. */
const MOST_BYTES = 3900;

export interface SignInUnderWay {
  /** What identity hands back as `state`; nobody else knows it. */
  readonly state: string;
  /** A path on the public origin. */
  readonly returnTo: string;
  /** What the one-time code is exchanged with, and the browser cannot read. */
  readonly verifier: string;
}

export interface SessionCookies {
  /** `Set-Cookie` that begin a sign-in beside those that a `Cookie` header brings, and end what is too many or too old of them. */
  beginning(underWay: SignInUnderWay, header: string | undefined): readonly string[];
  /** `Set-Cookie` that ends it. */
  noBeginning(state: string): string;
  /** `Set-Cookie` of the session with this token, and the one that ends it. @throws Error for a token that no cookie can hold */
  session(token: string): string;
  readonly noSession: string;
  /** What a `Cookie` header brings; undefined for what is not there, not ours or out of time. */
  readBeginning(header: string | undefined, state: string): SignInUnderWay | undefined;
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
  const [beginnings, sessionName] = [`${prefix}kedja-${service}-sign-in-`, `${prefix}kedja-${service}`];
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const set = (name: string, value: string, more = '') => `${name}=${value}${attributes}${more}`;
  const sealed = (text: string, name: string) => sealer.seal(text, name).toString('base64url');

  // The name tells the sign-ins of a browser apart, and nobody what the state is.
  const nameOf = (state: string) =>
    beginnings + createHash('sha256').update(state).digest().subarray(0, 12).toString('base64url');
  const ending = (name: string) => set(name, '', '; Max-Age=0');

  /** Undefined for one that is not ours or out of time. */
  function underWayIn(header: string | undefined, name: string): (SignInUnderWay & { until: number }) | undefined {
    const [state, returnTo, until, verifier]: unknown[] = parseList(open(sealer, header, name));
    if (typeof state !== 'string' || typeof returnTo !== 'string' || typeof until !== 'number') return undefined;
    if (typeof verifier !== 'string') return undefined;
    return until > clock.now() ? { state, returnTo, until, verifier } : undefined;
  }

  /** The names of what is to be ended so that there is room for one more. */
  function surplus(header: string | undefined, room: number): string[] {
    const known = namesIn(header, beginnings).map((name) => ({
      name,
      bytes: name.length + (cookieIn(header, name)?.length ?? 0),
      until: underWayIn(header, name)?.until ?? 0,
    }));
    let left = room;
    return known
      .toSorted((a, b) => b.until - a.until)
      .filter(({ bytes, until }, index) => {
        left -= bytes;
        return until === 0 || index >= MOST_UNDER_WAY - 1 || left < 0;
      })
      .map(({ name }) => name);
  }

  return {
    beginning({ state, returnTo, verifier }, header) {
      const name = nameOf(state);
      const value = sealed(JSON.stringify([state, returnTo, clock.now() + SIGN_IN_MS, verifier]), name);
      const ended = surplus(header, ROOM_UNDER_WAY - name.length - value.length);
      return [set(name, value, `; Max-Age=${SIGN_IN_MS / 1000}`), ...ended.map(ending)];
    },
    noBeginning: (state) => ending(nameOf(state)),
    session(token) {
      const cookie = set(sessionName, sealed(token, sessionName));
      if (cookie.length > MOST_BYTES) throw new Error('The token is too long for a cookie');
      return cookie;
    },
    noSession: set(sessionName, '', '; Max-Age=0'),
    readBeginning: (header, state) => underWayIn(header, nameOf(state)),
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

/** The names of the cookies that begin so, each once. */
function namesIn(header: string | undefined, prefix: string): string[] {
  const names = (header ?? '').split(';').map((pair) => pair.trim().split('=')[0] ?? '');
  return [...new Set(names.filter((name) => name.startsWith(prefix)))];
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
