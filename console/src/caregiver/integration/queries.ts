// What the pages of a provider's own system read (docs/reference/dispatch-delivery.md#a-providers-own-view).
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { dispatch, engine, read } from '../../api/clients.ts';
import { Problem } from '../../api/problem.ts';
import type { DispatchShapes } from '../../api/shapes.ts';
import { whileAttended } from '../../shell/attention.ts';
import { useMe } from '../../shell/me.ts';

/** What is sent meanwhile is seen after so long, while the page is in use. */
const POLL_MS = 5_000;

export const DELIVERY_STATES = ['queued', 'sending', 'delivered', 'waiting', 'dead', 'held', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The guids of the providers whose staff one is. */
export function useOwnProviders(): readonly string[] {
  const { data: me } = useMe();
  const staff = me !== undefined && 'provider_staff' in me ? (me.provider_staff ?? []) : [];
  return [...new Set(staff.map(({ provider_guid: guid }) => guid))];
}

export function useProvider(guid: string) {
  return useQuery({
    queryKey: ['provider', guid],
    queryFn: () => read(engine.GET('/api/v1/providers/{id}', { params: { path: { id: guid } } })),
  });
}

export function atProvider(guid: string) {
  return { params: { path: { provider_guid: guid } } };
}

/** Null where there is none: the provider reads the feed. */
export function useEndpoint(guid: string) {
  return useQuery({
    queryKey: ['endpoint', guid],
    queryFn: async () => {
      try {
        return await read(dispatch.GET('/api/v1/providers/{provider_guid}/endpoint', atProvider(guid)));
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return null;
        throw error;
      }
    },
  });
}

export type Endpoint = DispatchShapes['ProviderEndpoint'];

interface DeliveryFilter {
  readonly status?: DeliveryState | undefined;
  readonly page: number;
  readonly per_page: number;
}

export function useDeliveries(guid: string, { status, ...page }: DeliveryFilter) {
  const query = { ...page, ...(status === undefined ? {} : { status }) };
  return useQuery({
    queryKey: ['deliveries', guid, query],
    queryFn: () =>
      read(
        dispatch.GET('/api/v1/providers/{provider_guid}/deliveries', {
          params: { path: { provider_guid: guid }, query },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: () => whileAttended(POLL_MS),
  });
}

export function atDelivery(guid: string, delivery: string) {
  return { params: { path: { provider_guid: guid, delivery_guid: delivery } } };
}

export function useDelivery(guid: string, delivery: string) {
  return useQuery({
    queryKey: ['delivery', guid, delivery],
    queryFn: () =>
      read(dispatch.GET('/api/v1/providers/{provider_guid}/deliveries/{delivery_guid}', atDelivery(guid, delivery))),
    enabled: guid !== '',
    refetchInterval: () => whileAttended(POLL_MS),
  });
}
