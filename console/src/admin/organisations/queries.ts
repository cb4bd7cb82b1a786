// Organisations by name.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { identity, read } from '../../api/clients.ts';

interface OrganisationFilter {
  readonly search?: string;
  readonly provider_guid?: string;
  readonly page?: number;
  readonly per_page?: number;
}

export function useOrganisations(query: OrganisationFilter) {
  return useQuery({
    queryKey: ['organisations', query],
    queryFn: () => read(identity.GET('/api/admin/organisation-search', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}
