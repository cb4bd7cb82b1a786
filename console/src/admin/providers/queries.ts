// Providers and their contracts.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { engine, read } from '../../api/clients.ts';

interface ProviderFilter {
  readonly search?: string;
  readonly page?: number;
  readonly per_page?: number;
}

export function useProviders(query: ProviderFilter) {
  return useQuery({
    queryKey: ['providers', query],
    queryFn: () => read(engine.GET('/api/v1/providers', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

/** The first 100. */
export function useContracts(provider: string) {
  return useQuery({
    queryKey: ['contracts', provider],
    queryFn: () =>
      read(engine.GET('/api/v1/contracts', { params: { query: { provider_guid: provider, per_page: 100 } } })),
  });
}
