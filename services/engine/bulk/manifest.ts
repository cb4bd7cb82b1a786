// The status of a bulk job. It has its progress and, when it is done, the manifest of its files (HL7 Bulk Data Access
// 2.0, "Response - Complete Status").

import { requestOf } from './export-request.ts';
import type { BulkFile, FileKind } from './files.ts';
import { readCounts } from './import-job.ts';
import type { JobRow } from './jobs.ts';
import type { JobView } from './service.ts';

/**
 * Returns `35 %: 350 resources`, and for an import `35 %: 350 of 1000 bytes`. An export also scans resources that its
 * caller may not see. It does not reveal how many there are.
 */
export function progressOf(job: JobRow): string {
  const { kind, done, total, counts } = job;
  const share = percentOf(job);
  return kind === 'export'
    ? `${share} %: ${counts['resources'] ?? 0} resources`
    : `${share} %: ${done} of ${total} bytes`;
}

/** Of a job that is not done: 99 at most. */
export function percentOf({ done, total }: Pick<JobRow, 'done' | 'total'>): number {
  return Math.min(99, Math.floor((done / Math.max(1, total)) * 100));
}

export function exportManifest({ job, files }: JobView, baseUrl: string): object {
  const { url, at } = requestOf(job);
  const listed = (kind: FileKind) => filesOf(files, kind, `${baseUrl}/$export/${job.job_guid}`);
  return {
    transactionTime: new Date(at).toISOString(),
    request: url,
    requiresAccessToken: true,
    output: listed('output'),
    deleted: listed('deleted'),
    error: listed('error'),
  };
}

export function importManifest({ job, files }: JobView, baseUrl: string): object {
  const { url } = job.request as { url: string };
  const counts = readCounts(job.counts);
  return {
    transactionTime: job.created_at.toISOString(),
    request: url,
    requiresAccessToken: true,
    output: [],
    error: filesOf(files, 'error', `${baseUrl}/$import/${job.job_guid}`),
    extension: { counts },
  };
}

function filesOf(files: readonly BulkFile[], kind: FileKind, address: string): object[] {
  return files
    .filter((file) => file.kind === kind)
    .map(({ file, type, resources }) => ({ type, url: `${address}/${file}.ndjson`, count: resources }));
}
