// Guards outgoing calls to addresses that users name against SSRF (decision D8). It allows public unicast addresses,
// networks that the configuration opens, and configured trusted origins. It checks an address when it is registered
// and, through ./guarded-agent.ts, at every connection.
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IP address in the form of the resolver. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export type Resolver = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface AddressGuardOptions {
  /**
   * `true` allows private and loopback addresses too, but none by which a machine reaches its cloud's metadata service.
   * A list of addresses and CIDR networks allows these beside the public ones, whatever they are.
   */
  readonly allow: boolean | readonly string[];
  /**
   * Trusted origins (scheme, host and port). They pass whatever they resolve to, over plain http too. Other ports of
   * their hosts do not.
   */
  readonly trustedOrigins?: readonly string[];
  /** The system's resolver when left out. */
  readonly resolve?: Resolver;
}

export class AddressRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AddressRefused';
  }
}

/**
 * The target of a connection in undici's form: `port` is empty for the scheme's default, an IPv6 address may lack its
 * brackets.
 */
export interface ConnectionTarget {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
}

export interface AddressGuard {
  /** Whether the target is a trusted origin, whose addresses are not checked. */
  isTrusted(target: ConnectionTarget): boolean;
  /**
   * The addresses of a host, in the resolver's order. One address that is not allowed refuses the host, because a name
   * with both kinds is an attack.
   * @throws AddressRefused; the resolver's error when the name cannot be resolved
   */
  resolve(hostname: string): Promise<readonly ResolvedAddress[]>;
  /**
   * Checks an http(s) URL before it is stored. Plain http is only for addresses that are not public and for trusted
   * origins.
   * @throws AddressRefused for another scheme, user info, or a host that is refused or unknown
   */
  checkUrl(url: string): Promise<void>;
}

/**
 * Where clouds answer a machine with its credentials, beside the link-local 169.254.169.254: Azure's platform address,
 * Alibaba's and Amazon's over IPv6. The first is a public unicast address.
 */
const METADATA = new Set(['168.63.129.16', '100.100.100.200', 'fd00:ec2::254']);

/** Ranges that no receiver of a webhook has (RFC 6890), and those that embed an IPv4 address, which may be any. */
const NO_RECEIVER = new Set([
  'linkLocal',
  'unspecified',
  'multicast',
  'broadcast',
  'rfc6145',
  'rfc6052',
  '6to4',
  'teredo',
]);

const resolveBySystem: Resolver = (hostname) => systemLookup(hostname, { all: true, verbatim: true });

export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const { allow, trustedOrigins = [], resolve: ask = resolveBySystem } = options;
  const trusted = new Set(trustedOrigins.map((origin) => new URL(origin).origin));
  const opened = Array.isArray(allow) ? allow.map(parseNetwork) : [];

  function isAllowed(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.parse(address);
    if (allow === true) return !isForbidden(unmapped(parsed));
    return isPublic(parsed) || opened.some((network) => contains(network, unmapped(parsed)));
  }

  function isTrusted({ protocol, hostname, port }: ConnectionTarget): boolean {
    const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
    return trusted.has(URL.parse(`${protocol}//${host}${port === '' ? '' : `:${port}`}`)?.origin ?? '');
  }

  async function resolve(hostname: string): Promise<readonly ResolvedAddress[]> {
    const host = hostname.replace(/^\[|\]$/g, '');
    const family = isIP(host);
    const addresses = family === 0 ? await ask(host) : [{ address: host, family }];
    if (addresses.length === 0) throw new AddressRefused('The host has no address');
    if (!addresses.every(({ address }) => isAllowed(address))) {
      throw new AddressRefused('The host leads to an address that is not open to calls from here');
    }
    return addresses;
  }

  async function checkUrl(url: string): Promise<void> {
    const parsed = URL.parse(url);
    if (parsed === null || !/^https?:$/.test(parsed.protocol))
      throw new AddressRefused('The URL must be http or https');
    if (/[\s\\\p{Cc}]/u.test(url))
      throw new AddressRefused('The URL must hold no space, backslash or control character');
    // The parser reports no user name for `https://@host/`, which is a trick or a mistake.
    const hasUser = parsed.username !== '' || parsed.password !== '' || /^[^/?#]*:\/*[^/?#]*@/.test(url);
    if (hasUser) throw new AddressRefused('The URL must hold no user name');
    if (url.includes('#')) throw new AddressRefused('The URL must hold no fragment');
    if (parsed.port === '0') throw new AddressRefused('The URL must name a port that can be called');
    if (isTrusted(parsed)) return;
    const addresses = await resolve(parsed.hostname).catch((error: unknown) => {
      throw error instanceof AddressRefused ? error : new AddressRefused('The host name cannot be resolved');
    });
    const isInside = addresses.every(({ address }) => !isPublic(ipaddr.parse(address)));
    if (parsed.protocol === 'http:' && !isInside) throw new AddressRefused('The URL must be https');
  }

  return { isTrusted, resolve, checkUrl };
}

/**
 * The global unicast range of IPv6 (iana.org/assignments/ipv6-address-space). Addresses outside of it may embed an IPv4
 * address.
 */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Only plain unicast is public: every other range of RFC 6890, and addresses that embed an IPv4 one, are not. */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return false;
  return address.range() === 'unicast' && !METADATA.has(address.toString());
}

/** Whether only a list that names it opens the address. */
function isForbidden(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return NO_RECEIVER.has(address.range()) || METADATA.has(address.toString());
}

/** The IPv4 address inside `::ffff:a.b.c.d`, so that an opened IPv4 network also opens its mapped form. */
function unmapped(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function contains([base, bits]: Network, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && address.match(base, bits);
  return base instanceof ipaddr.IPv6 && address.match(base, bits);
}
