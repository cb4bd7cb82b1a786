// Exports and imports: those that are kept, how one is begun, and what it has made.
import { useQuery } from '@tanstack/react-query';
import { engine, read } from '../../api/clients.ts';
import { getJson } from '../../api/fhir.ts';
import { Problem } from '../../api/problem.ts';
import { sessionFetch } from '../../api/session.ts';
import type { EngineShapes } from '../../api/shapes.ts';
import { whileAttended } from '../../shell/attention.ts';

const BASE = '/engine/api/v1';
const POLL_MS = 2_000;
const SLOW_MS = 15_000;

function readJobs(page: number, perPage: number) {
  return read(engine.GET('/api/v1/bulk-jobs', { params: { query: { page, per_page: perPage } } }));
}

export type Job = EngineShapes['BulkJob'];

/** Of a page, from 1; the newest first. */
export function useJobs(page: number, perPage: number) {
  return useQuery({
    queryKey: ['operate', 'bulk', page],
    queryFn: () => readJobs(page, perPage),
    refetchInterval: ({ state }) => whileAttended(state.data?.data.some(isMoving) === true ? POLL_MS : SLOW_MS),
  });
}

function isMoving({ state }: Job): boolean {
  return state === 'running' || state === 'receiving';
}

/** @throws Problem, UnreachableError */
export async function startExport(types: readonly string[], since: string): Promise<void> {
  const query = new URLSearchParams({
    ...(types.length === 0 ? {} : { _type: types.join(',') }),
    ...(since === '' ? {} : { _since: new Date(since).toISOString() }),
  });
  await begin(new Request(`${BASE}/$export?${query}`, { headers: { prefer: 'respond-async' } }));
}

/** Sends the file as it is: NDJSON, or the same packed. @throws Problem, UnreachableError */
export async function startImport(file: File): Promise<void> {
  const headers = {
    prefer: 'respond-async',
    'content-type': 'application/fhir+ndjson',
    ...(file.name.endsWith('.gz') ? { 'content-encoding': 'gzip' } : {}),
  };
  await begin(new Request(`${BASE}/$import`, { method: 'POST', headers, body: file }));
}

/** It ends what runs, and forgets its files. @throws Problem, UnreachableError */
export async function removeJob({ kind, job_guid: guid }: Job): Promise<void> {
  await begin(new Request(`${BASE}/$${kind}/${guid}`, { method: 'DELETE' }));
}

async function begin(request: Request): Promise<void> {
  const response = await sessionFetch(request);
  if (!response.ok) throw new Problem(response, await response.json().catch(() => undefined));
}

export interface JobFile {
  readonly type: string;
  readonly count: number;
  /** A path of this origin. */
  readonly path: string;
  readonly isError: boolean;
}

interface Manifest {
  readonly output: readonly { readonly type: string; readonly url: string; readonly count: number }[];
  readonly error: readonly { readonly type: string; readonly url: string; readonly count: number }[];
}

/** The files of a job that is done. */
export function useFiles({ kind, job_guid: guid, state }: Job, isWanted: boolean) {
  return useQuery({
    queryKey: ['bulk-files', guid],
    queryFn: async (): Promise<readonly JobFile[]> => {
      const { output, error } = (await getJson(`${BASE}/$${kind}/${guid}`)) as Manifest;
      const filesOf = (files: Manifest['output'], isError: boolean) =>
        files.map(({ type, url, count }) => ({ type, count, path: new URL(url).pathname, isError }));
      return [...filesOf(output, false), ...filesOf(error, true)];
    },
    enabled: isWanted && state === 'done',
    staleTime: Number.POSITIVE_INFINITY,
  });
}
