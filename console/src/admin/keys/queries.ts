// API keys and what they have been used for.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { engine, read } from '../../api/clients.ts';
import type { EngineShapes } from '../../api/shapes.ts';

export const PER_PAGE = 25;
export const USAGE_DAYS = 30;

export function useKeys(page: number) {
  const query = { page, per_page: PER_PAGE };
  return useQuery({
    queryKey: ['api-keys', query],
    queryFn: () => read(engine.GET('/api/v1/api-keys', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

export type ApiKey = EngineShapes['ApiKey'];

export function ofKey(guid: string) {
  return { params: { path: { key_guid: guid } } };
}

export function useUsage(guid: string) {
  return useQuery({
    queryKey: ['api-key-usage', guid],
    queryFn: () =>
      read(
        engine.GET('/api/v1/api-keys/{key_guid}/usage', {
          params: { path: { key_guid: guid }, query: { days: USAGE_DAYS } },
        }),
      ),
  });
}
