// Lists what was reported of a task, for its provider (docs/adr/0097). It is what the provider wrote itself. So it is
// read as the plan of care is: after the end of a consent, too (docs/adr/0073).
import { conflict } from '#lib/errors.ts';
import type { TimePosition } from '#lib/http/response/time-position.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Origin } from '../shared/actor.ts';
import { isTaken } from './lifecycle.ts';
import { listReports, type ReportsAfter, readReported, type StoredReport, sizesOfReported } from './report-store.ts';
import { auditOfTask, requireTask, type TaskAddress } from './task-address.ts';

/** A page ends before a report with which it would be larger. One report may be as large. */
const PAGE_BYTES = 10 * 1024 * 1024;

export interface ListedReports {
  /** The reports as JSON texts, in which decimals keep their digits. */
  readonly texts: readonly string[];
  /** Where the next page begins; null after the last report. */
  readonly next: TimePosition | null;
}

export interface ReportListService {
  /**
   * The newest first: at most `limit`, and fewer when they are too large together, but at least one.
   * @throws ServiceError `not_found`; `conflict` for a task that is not accepted
   */
  list(address: TaskAddress, page: ReportsAfter, origin: Origin): Promise<ListedReports>;
}

export function createReportList({ database, audit }: WriteDependencies): ReportListService {
  return {
    async list(address, { after, limit }, origin) {
      const task = await requireTask(database, address);
      if (!isTaken(task.status)) throw conflict(`The task is ${task.status}; reports are shown of accepted ones`);
      const found = await listReports(database, task.request_guid, { after, limit: limit + 1 });
      const sizes = await sizesOfReported(database, addressesOf(found));
      const reports = found.slice(0, Math.min(limit, countFitting(found, sizes)));
      const addresses = addressesOf(reports);
      const about = auditOfTask(task, address);
      const entities = [...about.entities, ...addresses];
      await audit.recordRead({ action: 'R', event: 'provider-task.reports', ...about, entities, ...origin });
      const resources = await readReported(database, addresses);
      const last = found.length > reports.length ? reports.at(-1) : undefined;
      return {
        texts: reports.map((report) => reportText(report, resources)),
        next: last === undefined ? null : { recordedAt: new Date(last.reported_at), eventGuid: last.report_guid },
      };
    },
  };
}

function addressesOf(reports: readonly StoredReport[]): string[] {
  return reports.flatMap(({ resources }) => resources);
}

/** How many of the first reports a page takes: at least one. */
function countFitting(reports: readonly StoredReport[], sizes: ReadonlyMap<string, number>): number {
  let bytes = 0;
  const tooLarge = reports.findIndex(({ resources }, index) => {
    bytes += resources.reduce((sum, address) => sum + (sizes.get(address) ?? 0), 0);
    return index > 0 && bytes > PAGE_BYTES;
  });
  return tooLarge === -1 ? reports.length : tooLarge;
}

function reportText(report: StoredReport, texts: ReadonlyMap<string, string>): string {
  const { report_guid, status, note, reported_at, reported_by_guid: guid, reported_by_name: name } = report;
  const by = guid === null ? {} : { reported_by: { user_guid: guid, name } };
  const head = JSON.stringify({ report_guid, status, note, reported_at, ...by }).slice(0, -1);
  const ofType = (type: string) =>
    report.resources.flatMap((address) => (address.startsWith(`${type}/`) ? (texts.get(address) ?? []) : []));
  const observations = ofType('Observation').join(',');
  const responses = ofType('QuestionnaireResponse').join(',');
  return `${head},"observations":[${observations}],"questionnaire_responses":[${responses}]}`;
}
