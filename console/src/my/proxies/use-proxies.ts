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

export type NamedProxy = NonNullable<ReturnType<typeof useProxies>['data']>['given'][number];
