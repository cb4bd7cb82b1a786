// What an operator reads: the state of the services, their queues and their latency, from the APIs of all of them.
import { useQuery } from '@tanstack/react-query';
import { dispatch, engine, identity, read } from '../../api/clients.ts';
import { getJson } from '../../api/fhir.ts';
import type { DispatchShapes, EngineShapes, IdentityShapes } from '../../api/shapes.ts';
import { whileAttended } from '../../shell/attention.ts';

const POLL_MS = 10_000;

export const SERVICES = ['identity', 'dispatch', 'engine'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Of `GET /status` of the gateway. */
export interface ServiceState {
  readonly name: string;
  readonly state: 'ready' | 'not_ready' | 'unreachable';
  readonly ready_nodes: number;
  readonly nodes: number;
  readonly reasons: readonly string[];
}

/** Read again by itself while somebody looks. A service that does not answer is no reason to hide the others. */
function useRead<Data>(name: string, queryFn: () => Promise<Data>) {
  return useQuery({
    queryKey: ['operate', name],
    queryFn,
    retry: false,
    refetchInterval: () => whileAttended(POLL_MS),
  });
}

function useServices() {
  return useRead('services', async () => (await getJson('/status')) as { readonly services: readonly ServiceState[] });
}

function useIdentityStatus() {
  return useRead('identity', () => read(identity.GET('/api/admin/status')));
}

function useDispatchStatus() {
  return useRead('dispatch', () => read(dispatch.GET('/api/v1/status')));
}

/** The engine's health is read when it is degraded or down, too. */
function useEngineHealth() {
  return useRead('engine-health', () => read(engine.GET('/api/v1/health')));
}

function useEngineStatus() {
  return useRead('engine', () => read(engine.GET('/api/v1/status')));
}

export function useEngineMetrics() {
  return useRead('engine-metrics', async () => {
    const metrics = await read(engine.GET('/api/v1/metrics'));
    if (typeof metrics === 'string') throw new TypeError('Metrics are read as JSON');
    return metrics;
  });
}

export type IdentityStatus = IdentityShapes['ServiceStatus'];
export type DispatchStatus = DispatchShapes['ServiceStatus'];
export type EngineHealth = EngineShapes['Health'];
export type EngineStatus = EngineShapes['SystemStatus'];
export type EngineMetrics = EngineShapes['ServiceMetrics'];
export type Routes = EngineMetrics['requests']['routes'];

/** What the cards of the services show, each part as its service answers. */
export function useServiceStates() {
  return {
    services: useServices(),
    identity: useIdentityStatus(),
    dispatch: useDispatchStatus(),
    health: useEngineHealth(),
    engine: useEngineStatus(),
  };
}
