// Decided requests for an account, for the lead of a group and for a new group (docs/adr/0136). They have names and
// addresses of people who may have no account.
import type { Retention } from '#lib/retention/config.ts';
import { daysBefore, keptText, type RetentionRule } from '#lib/retention/rule.ts';
import { simpleRule } from '#lib/retention/simple-rule.ts';

const over = "status IN ('approved', 'rejected') AND coalesce(decided_at, created_at) < $1";

export function applicationsRule({ applications }: Retention): RetentionRule {
  return simpleRule(
    {
      name: 'applications',
      what: 'decided requests for accounts, leads and groups',
      variable: 'KEDJA_RETENTION_APPLICATIONS',
      kept: keptText(applications, 'days'),
      before: (now) => daysBefore(now, applications),
    },
    [
      { table: 'access_request', key: 'access_request_guid', over },
      { table: 'leader_request', key: 'leader_request_guid', over },
      { table: 'group_proposal', key: 'proposal_guid', over },
    ],
  );
}
