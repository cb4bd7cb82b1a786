// What the page of a request reads, and how it is read again after an act.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Observation, PlanDefinition, QuestionnaireResponse, ServiceRequest } from 'fhir/r5';
import { dispatch, read } from '../../api/clients.ts';
import { getJson, searchFhir } from '../../api/fhir.ts';
import type { DispatchShapes } from '../../api/shapes.ts';
import { whileAttended } from '../../shell/attention.ts';

/** What deliveries do is seen after so long; notifications report the rest at once. Only while the page is in use. */
const POLL_MS = 4_000;
const MOST = { per_page: 200 } as const;

export function useRequest(id: string) {
  return useQuery({
    queryKey: ['request', id],
    queryFn: async () => (await getJson(`/dispatch/api/v1/ServiceRequest/${id}`)) as ServiceRequest,
    refetchInterval: ({ state }) => state.data?.status === 'active' && whileAttended(POLL_MS),
  });
}

/** The editable part of a request. */
export interface Snapshot {
  readonly plan_definition?: PlanDefinition;
  readonly note?: string;
  readonly priority?: 'routine' | 'urgent' | 'asap' | 'stat';
  readonly occurrence?: unknown;
}

/** The content of a draft, and the entity tag of that version. */
export interface SnapshotVersion {
  readonly snapshot: Snapshot;
  readonly etag: string | undefined;
}

/** How it is read: again, too, when a save is refused. */
export function snapshotQuery(id: string) {
  return {
    queryKey: ['request-snapshot', id],
    queryFn: async (): Promise<SnapshotVersion> => {
      const params = { path: { id } };
      const { data, error, response } = await dispatch.GET('/api/v1/ServiceRequest/{id}/snapshot', { params });
      const snapshot = (await read(Promise.resolve({ data, error, response }))) as Snapshot;
      return { snapshot, etag: response.headers.get('etag') ?? undefined };
    },
  };
}

export function useSnapshot(id: string) {
  // What is being typed is newer than what a second read would find.
  return useQuery({ ...snapshotQuery(id), refetchOnWindowFocus: false });
}

export function useMatches(id: string, isLive: boolean) {
  return useQuery({
    queryKey: ['request-matches', id],
    queryFn: () => read(dispatch.GET('/api/v1/ServiceRequest/{id}/matches', { params: { path: { id }, query: MOST } })),
    refetchInterval: () => isLive && whileAttended(POLL_MS),
  });
}

export type Match = DispatchShapes['Match'];

export function useAttachedForms(id: string) {
  return useQuery({
    queryKey: ['request-forms', id],
    queryFn: () => read(dispatch.GET('/api/v1/ServiceRequest/{id}/forms', { params: { path: { id }, query: MOST } })),
  });
}

export type AttachedForm = DispatchShapes['FormAttachment'];

export function useQuestions(id: string, isLive: boolean) {
  return useQuery({
    queryKey: ['request-questions', id],
    queryFn: () =>
      read(dispatch.GET('/api/v1/ServiceRequest/{id}/questions', { params: { path: { id }, query: MOST } })),
    refetchInterval: () => isLive && whileAttended(POLL_MS),
  });
}

export type Question = DispatchShapes['QuestionOfMatch'];

export interface Results {
  /** All results by whatever way they came, also those that the engine does not have yet. */
  readonly listed: readonly { readonly state: string }[];
  readonly observations: readonly Observation[];
  readonly responses: readonly QuestionnaireResponse[];
}

export function useResults(id: string, isLive: boolean) {
  return useQuery({
    queryKey: ['request-results', id],
    queryFn: () => readResults(id),
    refetchInterval: () => isLive && whileAttended(POLL_MS),
  });
}

async function readResults(id: string): Promise<Results> {
  const basedOn = { 'based-on': `ServiceRequest/${id}`, _count: '200' };
  const [listed, observations, responses, own] = await Promise.all([
    read(dispatch.GET('/api/v1/ServiceRequest/{id}/results', { params: { path: { id }, query: MOST } })),
    searchFhir<Observation>('engine', 'Observation', basedOn),
    searchFhir<QuestionnaireResponse>('engine', 'QuestionnaireResponse', basedOn),
    searchFhir<QuestionnaireResponse>('dispatch', 'QuestionnaireResponse', basedOn),
  ]);
  return { listed: listed.data, observations, responses: [...responses, ...own] };
}

/** Reads the request and all that belongs to it again. */
export function useRefresh(id: string): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    const keys = ['request', 'request-snapshot', 'request-matches', 'request-forms', 'request-questions'];
    await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key, id] })));
    await queries.invalidateQueries({ queryKey: ['worklist'] });
  };
}
