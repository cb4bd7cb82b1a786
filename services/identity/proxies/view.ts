// A proxy as each side sees it, in the API and on the pages (decision L5, docs/adr/0074).
import Type, { type Static } from 'typebox';
import { PROXY_RIGHTS } from '#lib/auth/principal.ts';
import { OptionalText } from '../shared/routes/schema.ts';
import type { PatientProxy } from './service.ts';

const Instant = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

export const ProxyView = Type.Object(
  {
    proxy_guid: Type.String(),
    kind: Type.Enum(['proxy', 'guardian']),
    status: Type.Enum(['invited', 'active', 'ended']),
    may: Type.Enum([...PROXY_RIGHTS]),
    patient_guid: OptionalText,
    patient_name: OptionalText,
    delegate_guid: OptionalText,
    delegate_name: OptionalText,
    named: OptionalText,
    ends_at: Instant,
    created_at: Instant,
    accepted_at: Instant,
    ended_at: Instant,
    ended_by: Type.Union([Type.Enum(['patient', 'delegate', 'administrator']), Type.Null()]),
  },
  { title: 'PatientProxy' },
);
export type ProxyView = Static<typeof ProxyView>;

export type Side = 'patient' | 'delegate' | 'administrator';

/**
 * Until an invitation is accepted the patient does not learn whether there is such a person. One that was declined
 * looks like one that nobody has received.
 */
export function toView(proxy: PatientProxy, side: Side, isPast: boolean): ProxyView {
  const showsDelegate = side !== 'patient' || proxy.acceptedAt !== undefined;
  const isDeclined = !showsDelegate && proxy.endedBy === 'delegate';
  const status = isPast ? 'ended' : isDeclined ? 'invited' : proxy.status;
  const instant = (moment: Date | undefined) => moment?.toISOString() ?? null;
  return {
    proxy_guid: proxy.proxyGuid,
    kind: proxy.kind,
    status,
    may: proxy.may,
    patient_guid: proxy.patientGuid,
    patient_name: proxy.patientName,
    delegate_guid: (showsDelegate ? proxy.delegateGuid : undefined) ?? null,
    delegate_name: (showsDelegate ? proxy.delegateName : undefined) ?? null,
    named: side === 'delegate' ? null : proxy.named,
    ends_at: instant(proxy.endsAt),
    created_at: instant(proxy.createdAt),
    accepted_at: instant(proxy.acceptedAt),
    ended_at: isDeclined ? null : instant(proxy.endedAt),
    ended_by: isDeclined ? null : (proxy.endedBy ?? null),
  };
}
