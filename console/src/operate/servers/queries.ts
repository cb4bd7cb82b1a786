// Other servers and the synchronizations with them.
import { useQuery } from '@tanstack/react-query';
import { engine, read } from '../../api/clients.ts';
import type { EngineShapes } from '../../api/shapes.ts';
import { whileAttended } from '../../shell/attention.ts';

const POLL_MS = 2_000;
const SLOW_MS = 15_000;

export function useServers() {
  return useQuery({
    queryKey: ['operate', 'servers'],
    queryFn: () => read(engine.GET('/api/v1/servers/status')),
    refetchInterval: () => whileAttended(SLOW_MS),
  });
}

export type Server = EngineShapes['ServerStatus'];

/** Of a page, from 1; the newest first. */
export function useSyncs(page: number, perPage: number) {
  return useQuery({
    queryKey: ['operate', 'syncs', page],
    queryFn: () => read(engine.GET('/api/v1/synchronize', { params: { query: { page, per_page: perPage } } })),
    refetchInterval: ({ state }) =>
      whileAttended(state.data?.data.some((job) => job.state === 'running') === true ? POLL_MS : SLOW_MS),
  });
}

export type Sync = EngineShapes['SyncJob'];

export function useSync(guid: string) {
  return useQuery({
    queryKey: ['operate', 'sync', guid],
    queryFn: () => read(engine.GET('/api/v1/synchronize/{job_guid}', { params: { path: { job_guid: guid } } })),
    refetchInterval: ({ state }) => state.data?.state === 'running' && whileAttended(POLL_MS),
  });
}
