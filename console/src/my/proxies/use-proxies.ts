// Whom the patient has named, and who has named the patient.
import { useQuery } from '@tanstack/react-query';
import { actingFor } from '../../api/acting.ts';
import { identity, read } from '../../api/clients.ts';

export function useProxies() {
  return useQuery({
    queryKey: ['proxies'],
    queryFn: () => read(identity.GET('/api/patient/proxies')),
    // They would be one's own.
    enabled: actingFor() === undefined,
  });
}

/** Whether one may report for whom one sees: for oneself, or with that right of a proxy. */
export function useMayReport(): boolean {
  const acting = actingFor();
  const { data } = useQuery({
    queryKey: ['proxies', 'received'],
    queryFn: () => read(identity.GET('/api/patient/proxies')),
    enabled: acting !== undefined,
  });
  if (acting === undefined) return true;
  return (data?.received ?? []).some(
    ({ patient_guid: guid, may, status }) => guid === acting.patientGuid && may === 'act' && status === 'active',
  );
}

export type NamedProxy = NonNullable<ReturnType<typeof useProxies>['data']>['given'][number];
