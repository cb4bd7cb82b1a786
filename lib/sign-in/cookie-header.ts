// Writes and reads our cookies (RFC 6265): host-only, HttpOnly and SameSite=Lax.

export interface CookieWriter {
  /** `__Host-` over https (RFC 6265bis §4.1.3.2): the cookie is bound to this very host, and no other can set it. */
  readonly namePrefix: string;
  /** A `Set-Cookie`; without `maxAge`, in seconds, it lives as long as the browser's session. */
  set(name: string, value: string, maxAge?: number): string;
  /** A `Set-Cookie` that deletes the cookie. */
  end(name: string): string;
}

export function createCookieWriter({ isSecure }: { readonly isSecure: boolean }): CookieWriter {
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const set = (name: string, value: string, maxAge?: number) =>
    `${name}=${value}${attributes}${maxAge === undefined ? '' : `; Max-Age=${maxAge}`}`;
  return { namePrefix: isSecure ? '__Host-' : '', set, end: (name) => set(name, '', 0) };
}

/** The names of the cookies that begin so, each once. */
export function namesIn(header: string | undefined, prefix: string): string[] {
  const names = (header ?? '').split(';').map((pair) => pair.trim().split('=')[0] ?? '');
  return [...new Set(names.filter((name) => name.startsWith(prefix)))];
}

/** The first of that name, as the most exact path comes first (RFC 6265 §5.4). */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1) || undefined;
}

/** A `Cookie` header without the cookies of those names; undefined when nothing is left. */
export function withoutCookies(header: string | undefined, drops: (name: string) => boolean): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair !== '' && !drops(pair.split('=')[0] ?? '')).join('; ') || undefined;
}
