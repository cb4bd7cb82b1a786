// Checks redirect URIs of a sign-in (decision I3). `next` is compared as a parsed URL with the allow-list. Everything
// that two parsers might read differently is refused. Pure.
import { isLoopbackHost } from '#lib/config/address.ts';

const MAX_LENGTH = 2048;
/**
 * Printable ASCII without space, double quote, angle brackets, backslash, caret, backtick, braces and bar (RFC 3986
 * §2).
 */
const URL_CHARACTERS = /^[!#-;=?-Z\]_a-z~[]+$/;
const ABSOLUTE = /^https?:\/\/[^/?#@]+(?:[/?]|$)/i;
/**
 * Encoded percent signs, dots, slashes, backslashes, semicolons and control characters: a server that decodes them may
 * see another path.
 */
const ENCODED_TRICK = /%(?:25|2e|2f|5c|3b|[01][0-9a-f]|7f)/i;
/** The place of a port in a loopback URL with an IP address: a host name may lead elsewhere (RFC 8252 §8.3). */
const LOOPBACK_PORT = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):\d{1,5}(?=[/?]|$)/;
/** The parameters that identity adds. A `next` with its own would let the application read the wrong ones. */
const OUR_PARAMETERS = ['token', 'state', 'code'];

/** The parsed `next` if it is under one of the allowed addresses (origin and path prefix); undefined otherwise. */
export function parseRedirectTarget(next: string, allowed: readonly string[]): URL | undefined {
  const url = parsePlainAddress(next);
  return url !== undefined && allowed.some((entry) => isUnder(url, entry)) ? url : undefined;
}

/**
 * The parsed `next` if it is one of the registered URIs, compared as strings (RFC 9700 §2.1). A native app takes a free
 * port when it needs one. So a registered URI at 127.0.0.1 or [::1] without a port matches every port there (RFC 8252
 * §7.3).
 */
export function parseRegisteredTarget(
  next: string,
  registered: readonly string[],
  { isPublic }: { readonly isPublic: boolean },
): URL | undefined {
  const url = parsePlainAddress(next);
  if (url === undefined) return undefined;
  const portless = isPublic ? next.replace(LOOPBACK_PORT, '$1') : next;
  return registered.includes(next) || registered.includes(portless) ? url : undefined;
}

/**
 * Why a URI cannot be registered; undefined when it can. It must be written as a parser serializes it, so that each URI
 * has one string.
 */
export function registrationIssue(address: string): string | undefined {
  const url = parsePlainAddress(address);
  if (url === undefined) {
    return 'must be an absolute https address (http on loopback alone) without user info, fragment, dots or encoded separators in its path, and without token, code or state in its query';
  }
  return url.href === address ? undefined : `must be written as ${url.href}`;
}

/** The parsed URI, if every parser reads it alike; undefined for any other. */
function parsePlainAddress(next: string): URL | undefined {
  if (next.length > MAX_LENGTH || !URL_CHARACTERS.test(next) || next.includes('#') || !ABSOLUTE.test(next)) {
    return undefined;
  }
  const url = URL.parse(next);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return undefined;
  if (!isPlainPath(rawPathOf(next)) || !hasWellFormedEscapes(next)) return undefined;
  if (OUR_PARAMETERS.some((name) => url.searchParams.has(name))) return undefined;
  return url;
}

/** Adds parameters to the query that the URI may already have. */
export function withParameters(target: URL, parameters: Readonly<Record<string, string>>): string {
  const added = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const query = target.search.replace(/&+$/, '');
  const separator = query === '' || query === '?' ? '?' : `${query}&`;
  return `${target.origin}${target.pathname}${separator}${added.join('&')}`;
}

function rawPathOf(next: string): string {
  const start = next.indexOf('/', next.indexOf('//') + 2);
  if (start === -1) return '/';
  const query = next.indexOf('?');
  if (query !== -1 && query < start) return '/';
  return next.slice(start, query === -1 ? undefined : query);
}

/** Refuses segments that some servers read as "here" or "up", with or without a path parameter (`..;x`). */
function isPlainPath(path: string): boolean {
  if (ENCODED_TRICK.test(path) || path.includes('//')) return false;
  return !path.split('/').some((segment) => /^\.{1,2}(?:;|$)/.test(segment));
}

function hasWellFormedEscapes(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}

function isUnder(url: URL, entry: string): boolean {
  const base = URL.parse(entry);
  if (base === null || url.protocol !== base.protocol || url.host !== base.host) return false;
  const prefix = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
  return url.pathname.startsWith(prefix) || `${url.pathname}/` === prefix;
}
