// Where a sign-in may lead (decision I3): `next` is compared with the allow-list as a parsed URL, and everything by which two
// parsers might come to read one text differently is refused. Pure.
import { isLoopbackHost } from '#lib/config/address.ts';

const MAX_LENGTH = 2048;
/** Printable ASCII without space, double quote, angle brackets, backslash, caret, backtick, braces and bar (RFC 3986 §2). */
const URL_CHARACTERS = /^[!#-;=?-Z\]_a-z~[]+$/;
const ABSOLUTE = /^https?:\/\/[^/?#@]+(?:[/?]|$)/i;
/** Encoded percent signs, dots, slashes, backslashes, semicolons and control characters: they mean another path to whoever decodes. */
const ENCODED_TRICK = /%(?:25|2e|2f|5c|3b|[01][0-9a-f]|7f)/i;
/** What is added; a `next` that brings its own would let the application read the wrong one. */
const OUR_PARAMETERS = ['token', 'state', 'code'];

/** The parsed `next` if it is under one of the allowed addresses (origin and path prefix); undefined otherwise. */
export function parseRedirectTarget(next: string, allowed: readonly string[]): URL | undefined {
  if (next.length > MAX_LENGTH || !URL_CHARACTERS.test(next) || next.includes('#') || !ABSOLUTE.test(next)) {
    return undefined;
  }
  const url = URL.parse(next);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return undefined;
  if (!isPlainPath(rawPathOf(next)) || !hasWellFormedEscapes(next)) return undefined;
  if (OUR_PARAMETERS.some((name) => url.searchParams.has(name))) return undefined;
  return allowed.some((entry) => isUnder(url, entry)) ? url : undefined;
}

/** The address with parameters added to the query that it may already have. */
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

/** No segment that some server takes for "here" or "up", with or without a path parameter (`..;x`). */
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
