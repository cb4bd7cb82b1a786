// What did not reach providers.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { dispatch, engine, read } from '../../api/clients.ts';
import { whileAttended } from '../../shell/attention.ts';

const POLL_MS = 10_000;
export const PER_PAGE = 25;

export interface LetterFilter {
  readonly provider_guid?: string;
  readonly cause?: string;
  readonly since?: string;
}

export function useCauses() {
  return useQuery({
    queryKey: ['dead-letter-causes'],
    queryFn: () => read(dispatch.GET('/api/v1/dead-letters/causes')),
    refetchInterval: () => whileAttended(POLL_MS),
  });
}

export function useLetters(filter: LetterFilter, page: number) {
  const query = { ...filter, page, per_page: PER_PAGE };
  return useQuery({
    queryKey: ['dead-letters', query],
    queryFn: () => read(dispatch.GET('/api/v1/dead-letters', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval: () => whileAttended(POLL_MS),
  });
}

const UNDER_WAY = ['queued', 'sending', 'waiting'] as const;

/** How many messages are being delivered, or will be tried again by themselves. */
export function useUnderWay(provider: string | undefined) {
  return useQuery({
    queryKey: ['deliveries-under-way', provider],
    queryFn: async () => {
      const of = provider === undefined ? {} : { provider_guid: provider };
      const pages = await Promise.all(
        UNDER_WAY.map((status) =>
          read(dispatch.GET('/api/v1/deliveries', { params: { query: { ...of, status, per_page: 1 } } })),
        ),
      );
      return pages.reduce((sum, { total }) => sum + total, 0);
    },
    refetchInterval: () => whileAttended(POLL_MS),
  });
}

/** Names of the first 200 providers by their guids; the guid itself of others. */
export function useProviderNames(): (guid: string) => string {
  const { data } = useQuery({
    queryKey: ['provider-names'],
    queryFn: () => read(engine.GET('/api/v1/providers', { params: { query: { per_page: 200 } } })),
  });
  const names = new Map(data?.data.map(({ provider_guid: guid, name }) => [guid, name]));
  return (guid) => names.get(guid) ?? guid;
}
