// What the engine removes when its time is over (docs/adr/0136), but for the months of audit events
// (./audit-events/retention.ts).
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { oldVersionsRule } from '#fhir/store/history/old-versions.ts';
import { auditCopiesRule } from '#lib/audit/retention.ts';
import type { Retention } from '#lib/retention/config.ts';
import { daysBefore, keptText, type RetentionRule } from '#lib/retention/rule.ts';
import { simpleRule } from '#lib/retention/simple-rule.ts';

export function engineRetention(retention: Retention, parameters: SearchParameters): RetentionRule[] {
  return [oldVersionsRule(retention, parameters), jobsRule(retention), auditCopiesRule(retention)];
}

/** Finished synchronisations, and imports by command. Other jobs are removed after a day (./bulk/jobs.ts). */
function jobsRule({ jobs }: Retention): RetentionRule {
  return simpleRule(
    {
      name: 'jobs',
      what: 'finished synchronisations and imports',
      variable: 'KEDJA_RETENTION_JOBS',
      kept: keptText(jobs, 'days'),
      before: (now) => daysBefore(now, jobs),
    },
    [
      { table: 'bulk_job', key: 'job_guid', over: "state IN ('done', 'failed', 'cancelled') AND finished_at < $1" },
      { table: 'sync_job', key: 'job_guid', over: "state IN ('done', 'failed') AND finished_at < $1" },
    ],
  );
}
