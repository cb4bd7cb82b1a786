// The cookies of pending sign-ins (decision G8): one each, because several tabs may sign in at once. They bind the
// response of identity to the browser that began: `state` protects against a sign-in that others began (login CSRF).
// The verifier protects against a code of others (RFC 7636, RFC 9700 §2.1.1, §4.7). Each is valid once.
import type { Clock } from '../clock.ts';
import { isSameSecret, sha256 } from '../crypto/secret.ts';
import { type CookieWriter, cookieIn, namesIn } from './cookie-header.ts';

/** The most pending sign-ins of one browser. The oldest are dropped for the newest. */
const MAX_PENDING = 5;
/** The most bytes of all of them together, because proxies limit the headers of a request. */
const MAX_PENDING_BYTES = 4000;

export interface PendingSignIn {
  /** The `state` that identity returns; nobody else knows it. */
  readonly state: string;
  /** A path on the public origin. */
  readonly returnTo: string;
  /** The secret with which the one-time code is exchanged. The browser cannot read it. */
  readonly verifier: string;
}

export interface PendingSignIns {
  /**
   * The `Set-Cookie` values that begin a sign-in beside those in the `Cookie` header. They end those that are too many
   * or too old.
   */
  begin(pending: PendingSignIn, header: string | undefined): readonly string[];
  /** The `Set-Cookie` value that ends it. */
  end(state: string): string;
  /** The sign-in of that state in a `Cookie` header; undefined when it is absent, not ours or expired. */
  read(header: string | undefined, state: string): PendingSignIn | undefined;
}

/** Writes a pending sign-in into a cookie of that name, and reads it. */
export interface CookieCodec {
  write(text: string, name: string): string;
  /** Undefined for a value that `write` did not make. */
  read(value: string, name: string): string | undefined;
}

export interface PendingSignInsOptions {
  /** The beginning of the cookies' names. */
  readonly prefix: string;
  readonly cookies: CookieWriter;
  readonly codec: CookieCodec;
  readonly clock: Clock;
  /** The longest time from the begin to the end of a sign-in. */
  readonly lifetimeMs: number;
}

export function createPendingSignIns(options: PendingSignInsOptions): PendingSignIns {
  const { prefix, cookies, codec, clock, lifetimeMs } = options;

  // The name distinguishes the sign-ins of a browser and does not reveal the state.
  const nameOf = (state: string) => prefix + sha256(state).subarray(0, 12).toString('base64url');

  /** Undefined for one that is not ours or has expired. */
  function pendingIn(header: string | undefined, name: string): (PendingSignIn & { until: number }) | undefined {
    const value = cookieIn(header, name);
    const [state, returnTo, until, verifier]: unknown[] = parseList(value && codec.read(value, name));
    if (typeof state !== 'string' || typeof returnTo !== 'string' || typeof until !== 'number') return undefined;
    if (typeof verifier !== 'string') return undefined;
    return until > clock.now() ? { state, returnTo, until, verifier } : undefined;
  }

  /** The names of the cookies to end, so that `free` bytes suffice for those that stay. */
  function surplus(header: string | undefined, free: number): string[] {
    const known = namesIn(header, prefix).map((name) => ({
      name,
      bytes: name.length + (cookieIn(header, name)?.length ?? 0),
      until: pendingIn(header, name)?.until ?? 0,
    }));
    let left = free;
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
      return found !== undefined && isSameSecret(found.state, state) ? found : undefined;
    },
  };
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
