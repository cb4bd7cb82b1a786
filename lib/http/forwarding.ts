// Trust in forwarding headers such as X-Forwarded-For (KEDJA_TRUST_PROXY; docs/adr/0047). They are trusted from the
// configured proxies and from our own gateway, which proves itself by a secret. From anyone else they are removed
// before any other code reads them.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** The header by which the gateway proves itself. */
export const GATEWAY_HEADER = 'x-kedja-gateway';

/** Headers by which a trusted proxy describes the client. */
const CLAIMS = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port'];
/** Headers that are removed from every request. */
const OTHER_CLAIMS = ['forwarded', 'x-real-ip'];
const ALL_CLAIMS = [...CLAIMS, ...OTHER_CLAIMS];

/** No client can set it: it is a property of the request and no header. */
const HANDED_OVER = Symbol('handed over');

type ReceivedRequest = Pick<IncomingMessage, 'headers' | 'socket'> & { [HANDED_OVER]?: true };

/** Says to a service of this process that its own gateway has cleaned the headers and stated the client. */
export function markHandedOver(request: ReceivedRequest): void {
  request[HANDED_OVER] = true;
}

export interface ForwardingOptions {
  /** Addresses or CIDRs of proxies. */
  readonly trustProxy: readonly string[];
  /** The gateway's secret in `GATEWAY_HEADER`; no gateway is trusted when left out. */
  readonly gatewayProof?: string | undefined;
}

export interface Forwarding {
  /** Removes untrusted headers. Call it for each request before routing. */
  readonly clean: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => void;
  /** Fastify's `trustProxy`, for requests that were cleaned. `hop` 0 is the connected peer. */
  readonly trusts: (address: string, hop: number) => boolean;
  /** The client of a request that was cleaned, as Fastify's `ip`, `protocol` and `host` have it. */
  readonly clientOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => ClientView;
}

/** A client as the first server that is ours sees it. */
export interface ClientView {
  readonly ip: string;
  readonly protocol: string;
  readonly host: string;
}

export function createForwarding({ trustProxy, gatewayProof }: ForwardingOptions): Forwarding {
  const isProxy = proxyTest(trustProxy);
  const isProof = proofTest(gatewayProof);
  const trusts: Forwarding['trusts'] = (address, hop) => hop === 0 || isProxy(address);
  return {
    clean(request: ReceivedRequest) {
      if (request[HANDED_OVER] === true) return;
      const { headers, socket } = request;
      const proof = headers[GATEWAY_HEADER];
      if (proof === undefined && ALL_CLAIMS.every((name) => headers[name] === undefined)) return;
      delete headers[GATEWAY_HEADER];
      const peer = socket.remoteAddress ?? '';
      const chain = isProof(proof) || isProxy(peer) ? addressesIn(headers['x-forwarded-for'], peer) : '';
      // A peer that names no client address is no proxy.
      for (const name of chain === '' ? ALL_CLAIMS : OTHER_CLAIMS) delete headers[name];
      if (chain !== '') headers['x-forwarded-for'] = chain;
    },
    trusts,
    clientOf: ({ headers, socket }) => {
      const own = 'encrypted' in socket ? 'https' : 'http';
      return {
        ip: clientAddress(headers['x-forwarded-for'], socket.remoteAddress ?? '', trusts),
        protocol: lastOf(headers['x-forwarded-proto']) ?? own,
        host: lastOf(headers['x-forwarded-host']) ?? headers.host ?? '',
      };
    },
  };
}

/** The first address from the right that no proxy has; the leftmost where all are proxies. */
function clientAddress(list: string | string[] | undefined, peer: string, trusts: Forwarding['trusts']): string {
  if (list === undefined) return peer;
  const addresses = [peer, ...String(list).split(', ').reverse()];
  return addresses.find((address, hop) => !trusts(address, hop)) ?? addresses.at(-1) ?? peer;
}

function lastOf(list: string | string[] | undefined): string | undefined {
  return list === undefined ? undefined : String(list).split(',').at(-1)?.trim() || undefined;
}

/** Whether a trusted proxy or the gateway forwarded the request. Only for requests that were cleaned. */
export function isForwarded({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['x-forwarded-for'] !== undefined;
}

/** The last valid addresses of the list. The peer's own where even the last entry is invalid; '' without a list. */
function addressesIn(list: string | string[] | undefined, peer: string): string {
  if (list === undefined) return '';
  const entries = String(list).split(',').map(plainAddress);
  const wrong = entries.lastIndexOf(undefined);
  const addresses = entries.slice(wrong + 1);
  return addresses.length === 0 ? peer : addresses.join(', ');
}

/**
 * An address without the port that some proxies add, and IPv4-mapped IPv6 as IPv4 (`::ffff:192.0.2.1`). Undefined for
 * what is no address.
 */
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
