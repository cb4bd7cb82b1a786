// The client that a rate limit counts (decision I2). It is an IPv4 address, or an IPv6 network of 64 bits, because the
// owner of one address has the whole network.
import ipaddr from 'ipaddr.js';

const NETWORK_BYTES = 8;

/** The counting key of an address as Node or a proxy writes it; what is no address counts as one client of its own. */
export function clientKey(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const bytes = parsed.toByteArray();
  return `${ipaddr.fromByteArray(bytes.map((byte, index) => (index < NETWORK_BYTES ? byte : 0))).toString()}/64`;
}
