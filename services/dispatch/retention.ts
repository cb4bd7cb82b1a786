// What dispatch removes when its time is over (docs/adr/0136).
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { oldVersionsRule } from '#fhir/store/history/old-versions.ts';
import { auditCopiesRule } from '#lib/audit/retention.ts';
import type { Retention } from '#lib/retention/config.ts';
import type { RetentionRule } from '#lib/retention/rule.ts';
import { deliveriesRule } from './deliveries/retention.ts';

export function dispatchRetention(retention: Retention, parameters: SearchParameters): RetentionRule[] {
  return [deliveriesRule(retention), oldVersionsRule(retention, parameters), auditCopiesRule(retention)];
}
