// What several screens of the caregiver read, and how it is read again after an act.
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Observation, QuestionnaireResponse } from 'fhir/r5';
import { dispatch, engine, read } from '../api/clients.ts';
import type { EngineShapes } from '../api/shapes.ts';
import { whileAttended } from '../shell/attention.ts';

/** New tasks are seen after so long, while the page is in use; notifications report the rest at once. */
const POLL_MS = 10_000;
/** The same while an answer is on its way to the requester. */
const SOON_MS = 2_000;

/** In the order of the work. */
export const STATES = ['received', 'accepted', 'in_progress', 'completed', 'rejected', 'withdrawn'] as const;
export type TaskState = (typeof STATES)[number];

export interface TaskFilter {
  /** Those that are open when left out. */
  readonly status?: TaskState;
  readonly open?: boolean;
  readonly mine?: boolean;
  readonly order?: 'due' | 'received';
  readonly page?: number;
  readonly per_page?: number;
}

export function useTasks(query: TaskFilter) {
  return useQuery({
    queryKey: ['tasks', query],
    queryFn: () => read(engine.GET('/api/v1/provider-tasks/my', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval: () => whileAttended(POLL_MS),
  });
}

export function useCounts(isMine: boolean) {
  const query = isMine ? { mine: true } : {};
  return useQuery({
    queryKey: ['tasks', 'counts', query],
    queryFn: () => read(engine.GET('/api/v1/provider-tasks/my/counts', { params: { query } })),
    refetchInterval: () => whileAttended(POLL_MS),
  });
}

export type Task = EngineShapes['ProviderTask'];

export function useTask(guid: string) {
  return useQuery({
    queryKey: ['task', guid],
    queryFn: () => read(engine.GET('/api/v1/provider-tasks/{receipt_token}', atTask(guid))),
    refetchInterval: ({ state }) => whileAttended(state.data?.pending_decision === null ? POLL_MS : SOON_MS),
  });
}

/** The guid of the request is in the place of a receipt token, which staff are not given. */
export function atTask(guid: string) {
  return { params: { path: { receipt_token: guid } } };
}

/** A report with its resources, which its document describes by FHIR itself. */
export type TaskReport = Omit<EngineShapes['ReportOfTask'], 'observations' | 'questionnaire_responses'> & {
  readonly observations: readonly Observation[];
  readonly questionnaire_responses: readonly QuestionnaireResponse[];
};

interface TaskReports extends Omit<EngineShapes['ReportOfTaskPage'], 'data'> {
  readonly data: readonly TaskReport[];
}

/** @param updatedAt of the task: a report changes it, whoever made it */
export function useReports({ guid, updatedAt }: { readonly guid: string; readonly updatedAt: string }) {
  return useInfiniteQuery({
    queryKey: ['task-reports', guid, updatedAt],
    queryFn: async ({ pageParam: cursor }) => {
      const params = { ...atTask(guid).params, query: cursor === '' ? {} : { cursor } };
      const found = await read(engine.GET('/api/v1/provider-tasks/{receipt_token}/reports', { params }));
      return found as unknown as TaskReports;
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function useQuestions(guid: string) {
  const path = { request_guid: guid };
  return useQuery({
    queryKey: ['task-questions', guid],
    queryFn: () => read(dispatch.GET('/api/v1/requests/{request_guid}/questions', { params: { path } })),
    refetchInterval: () => whileAttended(POLL_MS),
  });
}

/** Reads a task and the lists again. */
export function useRefresh(guid: string): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    const keys = [['task', guid], ['task-details', guid], ['task-reports', guid], ['task-questions', guid], ['tasks']];
    await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  };
}
