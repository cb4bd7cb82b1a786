// What an erasure would do, for the operator: what goes, what stays and names it, and who has got the data.
import { tableOf } from '../table.ts';
import { countTypes } from './apply.ts';
import { erasedOf, type Plan, type ServicePlan } from './plan.ts';
import { personIds } from './target.ts';

const SHOWN = 20;

export function describePlan(plan: Plan): string {
  const { target, receivers, servers, openRequests } = plan;
  const lines = [
    target.kind === 'patient' ? `One person: ${personIds(target).join(', ')}` : resourceLine(plan),
    '',
    tableOf([['SERVICE', 'WHAT', 'HOW MANY'], ...plan.services.flatMap((each) => rowsOf(plan, each))]),
    '',
    'Kept, as the law asks: access records. They have the ids of the person and of the resources, and no content.',
  ];
  for (const each of plan.services) lines.push(...keptLines(plan, each));
  if (receivers.length + servers.length > 0)
    lines.push('', 'Had got the data, and are not reached by this: tell them.');
  for (const each of receivers) lines.push(`  ${each.name} (${each.provider_guid}), ${each.requests} requests`);
  for (const server of servers) lines.push(`  server ${server}, by synchronisation`);
  if (openRequests.length > 0) lines.push('', `Open at a provider: ServiceRequest ${openRequests.join(', ')}`);
  return lines.join('\n');
}

/** The same for programs. */
export function planJson(plan: Plan): object {
  const services = plan.services.map((each) => ({
    service: each.service,
    resources: countTypes(each.findings === undefined ? [] : erasedOf(plan.target, each.findings)),
    shared: (each.findings?.shared ?? []).map(({ name }) => name),
    old_versions: each.findings?.oldVersions.length ?? 0,
    rows: each.rows,
    responses: each.responses,
    references: (each.findings?.references ?? []).map(({ name }) => name),
    audit_events: each.findings?.auditEvents.length ?? 0,
  }));
  const { target, openRequests, receivers, servers } = plan;
  return { target, services, open_requests: openRequests, receivers, servers };
}

/** How many resources go, of all services. */
export function resourceCount(plan: Plan): number {
  const counts = plan.services.map(({ findings }) =>
    findings === undefined ? 0 : erasedOf(plan.target, findings).length,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

function resourceLine({ target: { resources } }: Plan): string {
  const names = (['dispatch', 'engine'] as const).flatMap((service) =>
    resources[service].map((name) => `${service}/${name}`),
  );
  return `Resources: ${names.join(', ')}`;
}

function rowsOf({ target }: Plan, { service, findings, rows, responses }: ServicePlan): string[][] {
  const types = findings === undefined ? {} : countTypes(erasedOf(target, findings));
  const lines = Object.entries(types).map(([type, count]) => [service, type, String(count)]);
  const old = findings?.oldVersions.length ?? 0;
  if (old > 0) lines.push([service, 'old versions of other resources', String(old)]);
  for (const [table, count] of Object.entries(rows)) lines.push([service, `rows of ${table}`, String(count)]);
  if (responses > 0) lines.push([service, 'stored responses', String(responses)]);
  return lines.length === 0 ? [[service, 'nothing', '0']] : lines;
}

function keptLines({ target }: Plan, { service, findings }: ServicePlan): string[] {
  if (findings === undefined) return [];
  const lines: string[] = [];
  if (findings.auditEvents.length > 0)
    lines.push(
      `${service}: ${findings.auditEvents.length} AuditEvents of other systems, whose texts you may want to read.`,
    );
  if (findings.references.length > 0) {
    lines.push('', `${service}: refer to it and stay as they are, their own texts too: ${some(findings.references)}`);
    lines.push('  Name those that are to go, too, by --resource, or correct their texts.');
  }
  if (findings.shared.length > 0) {
    const fate = target.shared === 'erase' ? 'are erased, too' : 'are kept';
    lines.push('', `${service}: of another person, too, and ${fate}: ${some(findings.shared)}`);
  }
  return lines;
}

function some(found: readonly { readonly name: string }[]): string {
  const names = found.slice(0, SHOWN).map(({ name }) => name);
  return found.length > SHOWN ? `${names.join(', ')} and ${found.length - SHOWN} more` : names.join(', ');
}
