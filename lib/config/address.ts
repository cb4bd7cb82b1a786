// Recognises loopback addresses, where plain HTTP and short secrets are safe.
import { isIP, isIPv4 } from 'node:net';

/** Whether a host name or an IP address (IPv6 with or without brackets) is this machine's loopback. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (isIPv4(bare)) return bare.startsWith('127.');
  return bare === 'localhost' || bare === '::1';
}

/** Whether the host of an absolute URL is this machine's loopback. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}

/** Whether a text is an IP address or a network in CIDR form (`10.0.0.0/8`, `fd00::/8`). */
export function isAddressOrNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}
