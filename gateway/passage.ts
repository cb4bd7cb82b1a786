// Which addresses pass the gateway, and what changes of a request on its way to a service and of a response on the way
// back. Over the network and within the process it is the same.
import type { IncomingHttpHeaders } from 'node:http';
import { DRAINING_HEADER } from '#lib/http/closing.ts';
import { type ClientView, GATEWAY_HEADER } from '#lib/http/forwarding.ts';
import { isPlainPath, pathOfUrl } from '#lib/http/plain-path.ts';

/** Metrics, in any spelling, with any suffix. */
const OPERATORS_ONLY = /^\/metrics(?:[/;]|$)/i;

/** Whether the path of the address cannot be decoded, or a service may read it differently than this gateway. */
export function isMalformed(url: string): boolean {
  const path = pathOfUrl(url);
  return url.includes('#') || !isPlainPath(path) || !isDecodable(path);
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
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
  if (!path.startsWith(prefix)) return false;
  const rest = path.slice(prefix.length);
  return !OPERATORS_ONLY.test(rest.includes('%') ? decodeURIComponent(rest) : rest);
}

/** Headers that no service gets: the client's own values of what this gateway states, and those between gateways. */
const DROPPED = ['forwarded', 'x-real-ip', 'x-forwarded-port', DRAINING_HEADER] as const;

/**
 * Changes the client's headers to those that a service gets: with the client's address and origin as this gateway sees
 * them. The client's own values of these headers are dropped. In place, since a copy costs a read a tenth of its time.
 */
export function changeHeaders(headers: IncomingHttpHeaders, { ip, protocol, host }: ClientView): void {
  for (const name of DROPPED) if (headers[name] !== undefined) delete headers[name];
  headers['x-forwarded-for'] = ip;
  headers['x-forwarded-proto'] = protocol;
  headers['x-forwarded-host'] = host;
}

/** The same headers for a service over the network, which gets the gateway's proof too (lib/http/forwarding.ts). */
export function forwardedHeaders(headers: IncomingHttpHeaders, client: ClientView, proof: string): IncomingHttpHeaders {
  const forwarded = { ...headers };
  changeHeaders(forwarded, client);
  return { ...forwarded, [GATEWAY_HEADER]: proof };
}

/** The headers of responses that have addresses of the service. */
export const PREFIXED = ['location', 'link'] as const;

/** A path from the origin's root (RFC 3986 §4.2): neither another origin nor relative to the address of the request. */
const ABSOLUTE_PATH = /^\/(?!\/)/;

/**
 * A `location` (RFC 9110 §10.2.2), or a `link` to other pages of a list (RFC 8288), with the gateway's prefix. A
 * relative one is right as it is: the browser resolves it against the address that it asked for.
 */
export function withPrefix(name: (typeof PREFIXED)[number], value: string, prefix: string): string {
  if (name === 'link') return value.replaceAll('</', `<${prefix}/`);
  return ABSOLUTE_PATH.test(value) ? prefix + value : value;
}
