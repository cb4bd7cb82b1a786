// What identity removes when its time is over (docs/adr/0136).
import { auditCopiesRule } from '#lib/audit/retention.ts';
import type { Retention } from '#lib/retention/config.ts';
import type { RetentionRule } from '#lib/retention/rule.ts';
import { applicationsRule } from './shared/decisions/retention.ts';

export function identityRetention(retention: Retention): RetentionRule[] {
  return [applicationsRule(retention), auditCopiesRule(retention)];
}
