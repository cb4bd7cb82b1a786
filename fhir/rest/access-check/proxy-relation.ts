// Whose proxy somebody is, was or is asked to be (docs/adr/0074), as an access check words it (docs/adr/0091). What a
// proxy may do is decided by `Principal.proxyFor` alone.
import type { ProxyRight } from '#lib/auth/principal.ts';

/** `ended`: by somebody; `over`: by its last day, or a child's birthday. */
export const PROXY_STATES = ['invited', 'active', 'ended', 'over'] as const;

export interface ProxyRelation {
  readonly patientGuid: string;
  /** Ids of the patient's records at the service that asks, with `patientGuid`. */
  readonly records: readonly string[];
  readonly kind: 'proxy' | 'guardian';
  readonly may: ProxyRight;
  readonly status: (typeof PROXY_STATES)[number];
  /** Instants (RFC 3339): when the right ends by itself, and when somebody has ended it. */
  readonly endsAt: string;
  readonly endedAt: string | undefined;
  readonly endedBy: 'patient' | 'delegate' | 'administrator' | undefined;
}

/** Of the user with the guid, the latest first. @throws ServiceError `upstream_unavailable` */
export type ReadProxies = (userGuid: string) => Promise<readonly ProxyRelation[]>;
