// The cookies of sign-ins that are under way (decision G8): one each, as several tabs may sign in at once. They bind
// what comes back from identity to the browser that began: `state` against a sign-in that others began (login CSRF),
// and the verifier against a code of others (RFC 7636, RFC 9700 §2.1.1, §4.7). Each is good once.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { type CookieWriter, cookieIn, namesIn } from './cookie-header.ts';

/** Of sign-ins under way in one browser: the oldest make room for the newest. */
const MAX_PENDING = 5;
/** For all of them together, as servers on the way bound the headers of a request. */
const MAX_PENDING_BYTES = 4000;

export interface PendingSignIn {
  /** What identity hands back as `state`; nobody else knows it. */
  readonly state: string;
  /** A path on the public origin. */
  readonly returnTo: string;
  /** What the one-time code is exchanged with, and the browser cannot read. */
  readonly verifier: string;
}

export interface PendingSignIns {
  /**
   * `Set-Cookie` that begin a sign-in beside those that a `Cookie` header brings, and end what is too many or too old
   * of them.
   */
  begin(pending: PendingSignIn, header: string | undefined): readonly string[];
  /** `Set-Cookie` that ends it. */
  end(state: string): string;
  /** What a `Cookie` header brings; undefined for what is not there, not ours or out of time. */
  read(header: string | undefined, state: string): PendingSignIn | undefined;
}

/** How what is under way is written into a cookie of that name. */
export interface CookieCodec {
  write(text: string, name: string): string;
  /** Undefined for what was not written so. */
  read(value: string, name: string): string | undefined;
}

export interface PendingSignInsOptions {
  /** The beginning of the cookies' names. */
  readonly prefix: string;
  readonly cookies: CookieWriter;
  readonly codec: CookieCodec;
  readonly clock: Clock;
  /** A sign-in is begun and ended within this time. */
  readonly lifetimeMs: number;
}

export function createPendingSignIns(options: PendingSignInsOptions): PendingSignIns {
  const { prefix, cookies, codec, clock, lifetimeMs } = options;

  // The name tells the sign-ins of a browser apart, and nobody what the state is.
  const nameOf = (state: string) =>
    prefix + createHash('sha256').update(state).digest().subarray(0, 12).toString('base64url');

  /** Undefined for one that is not ours or out of time. */
  function pendingIn(header: string | undefined, name: string): (PendingSignIn & { until: number }) | undefined {
    const value = cookieIn(header, name);
    const [state, returnTo, until, verifier]: unknown[] = parseList(value && codec.read(value, name));
    if (typeof state !== 'string' || typeof returnTo !== 'string' || typeof until !== 'number') return undefined;
    if (typeof verifier !== 'string') return undefined;
    return until > clock.now() ? { state, returnTo, until, verifier } : undefined;
  }

  /** The names of what is to be ended so that there is room for one more. */
  function surplus(header: string | undefined, room: number): string[] {
    const known = namesIn(header, prefix).map((name) => ({
      name,
      bytes: name.length + (cookieIn(header, name)?.length ?? 0),
      until: pendingIn(header, name)?.until ?? 0,
    }));
    let left = room;
    return known
      .toSorted((a, b) => b.until - a.until)
      .filter(({ bytes, until }, index) => {
        left -= bytes;
        return until === 0 || index >= MAX_PENDING - 1 || left < 0;
      })
      .map(({ name }) => name);
  }

  return {
    begin({ state, returnTo, verifier }, header) {
      const name = nameOf(state);
      const value = codec.write(JSON.stringify([state, returnTo, clock.now() + lifetimeMs, verifier]), name);
      const ended = surplus(header, MAX_PENDING_BYTES - name.length - value.length);
      return [cookies.set(name, value, lifetimeMs / 1000), ...ended.map(cookies.end)];
    },
    end: (state) => cookies.end(nameOf(state)),
    read(header, state) {
      const found = pendingIn(header, nameOf(state));
      return found !== undefined && isSame(found.state, state) ? found : undefined;
    },
  };
}

function isSame(known: string, given: string): boolean {
  const [a, b] = [Buffer.from(known), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function parseList(text: string | undefined): unknown[] {
  if (text === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}
