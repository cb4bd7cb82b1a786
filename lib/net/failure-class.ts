// Classifies why a network call failed. The class holds nothing of the address or the response, so that logs, records
// and responses may show it.
import { AddressRefused } from './address-guard.ts';

export type NetworkFailure =
  | 'address_refused'
  | 'name_not_resolved'
  | 'connection_refused'
  | 'connection_lost'
  | 'tls_failed'
  | 'timeout'
  | 'network_error';

/** The class of an error that undici, the resolver or the address guard threw. */
export function networkFailureOf(error: unknown): NetworkFailure {
  if (error instanceof AddressRefused) return 'address_refused';
  if (!(error instanceof Error)) return 'network_error';
  if (error.cause instanceof AddressRefused) return 'address_refused';
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA') return 'name_not_resolved';
  if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'connection_refused';
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') return 'connection_lost';
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
  return /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_/.test(code) ? 'tls_failed' : 'network_error';
}
