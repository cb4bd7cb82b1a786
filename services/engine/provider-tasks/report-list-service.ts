// Lists what was reported of a task, for its provider (docs/adr/0097). It is what the provider wrote itself. So it is
// read as the plan of care is: after the end of a consent, too (docs/adr/0073).
import { conflict } from '#lib/errors.ts';
import type { PageRequest } from '#lib/http/response/page.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Origin } from '../shared/actor.ts';
import { isTaken } from './lifecycle.ts';
import { listReports, readReported, type StoredReport } from './report-store.ts';
import { auditOfTask, requireTask, type TaskAddress } from './task-address.ts';

export interface ListedReports {
  /** The page as JSON text, in which decimals keep their digits. */
  readonly text: string;
  readonly total: number;
}

export interface ReportListService {
  /** The newest first. @throws ServiceError `not_found`; `conflict` for a task that is not accepted */
  list(address: TaskAddress, page: PageRequest, origin: Origin): Promise<ListedReports>;
}

export function createReportList({ database, audit }: WriteDependencies): ReportListService {
  return {
    async list(address, page, origin) {
      const task = await requireTask(database, address);
      if (!isTaken(task.status)) throw conflict(`The task is ${task.status}; reports are shown of accepted ones`);
      const { data, total } = await listReports(database, task.request_guid, page);
      const addresses = data.flatMap(({ resources }) => resources);
      const about = auditOfTask(task, address);
      const entities = [...about.entities, ...addresses];
      await audit.recordRead({ action: 'R', event: 'provider-task.reports', ...about, entities, ...origin });
      const resources = addresses.length === 0 ? new Map<string, string>() : await readReported(database, addresses);
      const reports = data.map((report) => reportText(report, resources));
      const { page: number, per_page } = page;
      return {
        text: `{"data":[${reports.join(',')}],"page":${number},"per_page":${per_page},"total":${total}}`,
        total,
      };
    },
  };
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
