// Which addresses pass the gateway, and what of a response changes on the way back.
import { isPlainPath, pathOfUrl } from '#lib/http/plain-path.ts';

/** Metrics, in any spelling, with any suffix. */
const OPERATORS_ONLY = /^\/metrics(?:[/;]|$)/i;

/** Whether the path of the address cannot be decoded, or a service may read it differently than this gateway. */
export function isMalformed(url: string): boolean {
  const path = pathOfUrl(url);
  return url.includes('#') || !isPlainPath(path) || !isDecodable(path);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether an address that is not malformed goes to the service behind the prefix. Metrics are only for those who can
 * reach a service's own port (docs/adr/0047). The router also matches an escaped prefix such as `/%69dentity`, which
 * would not be removed.
 */
export function isPassable(url: string, prefix: string): boolean {
  const path = pathOfUrl(url);
  return path.startsWith(prefix) && !OPERATORS_ONLY.test(decodeURIComponent(path.slice(prefix.length)));
}

const ABSOLUTE = /^(?:[a-z][a-z\d+.-]*:)?\/\//i;

/** A `location` (RFC 9110 §10.2.2), or a `link` to other pages of a list (RFC 8288), with the gateway's prefix. */
export function withPrefix(name: 'location' | 'link', value: string, prefix: string): string {
  if (name === 'link') return value.replaceAll('</', `<${prefix}/`);
  return ABSOLUTE.test(value) ? value : prefix + value;
}
