// Whom a service believes about where a request comes from (KEDJA_TRUST_PROXY; docs/adr/0047): the proxies of the
// configuration, and our own gateway, which proves itself by a secret that nobody outside can know. Of all others such
// headers are taken off at the door, before anybody reads them.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** The header by which the gateway proves itself. */
export const GATEWAY_HEADER = 'x-kedja-gateway';

/** What a proxy that is believed says of where a request comes from. */
const CLAIMS = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port'];
/** Nobody is believed in these. */
const OTHER_CLAIMS = ['forwarded', 'x-real-ip'];
const ALL_CLAIMS = [...CLAIMS, ...OTHER_CLAIMS];

export interface ForwardingOptions {
  /** Addresses or CIDRs of proxies. */
  readonly trustProxy: readonly string[];
  /** What the gateway says in `GATEWAY_HEADER`; nothing is a proof when left out. */
  readonly gatewayProof?: string | undefined;
}

export interface Forwarding {
  /** To be called for each request before it is routed: what is not believed is gone afterwards. */
  readonly clean: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => void;
  /** Fastify's `trustProxy`, for requests that were cleaned. `hop` 0 is who is connected. */
  readonly trusts: (address: string, hop: number) => boolean;
}

export function createForwarding({ trustProxy, gatewayProof }: ForwardingOptions): Forwarding {
  const isProxy = proxyTest(trustProxy);
  const isProof = proofTest(gatewayProof);
  return {
    clean({ headers, socket }) {
      const proof = headers[GATEWAY_HEADER];
      if (proof === undefined && ALL_CLAIMS.every((name) => headers[name] === undefined)) return;
      delete headers[GATEWAY_HEADER];
      const peer = socket.remoteAddress ?? '';
      const chain = isProof(proof) || isProxy(peer) ? addressesIn(headers['x-forwarded-for'], peer) : '';
      // Who does not say for whom it asks is no proxy.
      for (const name of chain === '' ? ALL_CLAIMS : OTHER_CLAIMS) delete headers[name];
      if (chain !== '') headers['x-forwarded-for'] = chain;
    },
    trusts: (address, hop) => hop === 0 || isProxy(address),
  };
}

/** Whether somebody who is believed has passed the request on; asked of requests that were cleaned. */
export function isForwarded({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['x-forwarded-for'] !== undefined;
}

/**
 * The last addresses of the list, up to what is none; the peer's own where even the last is none. '' without a list.
 */
function addressesIn(list: string | string[] | undefined, peer: string): string {
  if (list === undefined) return '';
  const entries = String(list).split(',').map(plainAddress);
  const wrong = entries.lastIndexOf(undefined);
  const addresses = entries.slice(wrong + 1);
  return addresses.length === 0 ? peer : addresses.join(', ');
}

/** Without the port that some proxies add, and IPv4 as such (`::ffff:192.0.2.1`); undefined for what is no address. */
function plainAddress(entry: string): string | undefined {
  const text = entry.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) === 0 ? undefined : address;
}

function proxyTest(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (given) => {
    const address = plainAddress(given);
    return address !== undefined && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  };
}

function proofTest(expected: string | undefined): (given: string | string[] | undefined) => boolean {
  if (expected === undefined) return () => false;
  const right = Buffer.from(expected);
  return (given) => {
    const bytes = Buffer.from(String(given ?? ''));
    return bytes.length === right.length && timingSafeEqual(bytes, right);
  };
}
