// `kedja retention`: what is kept for how long, and what of it is over (docs/adr/0127, docs/adr/0136). Operators' page:
// docs/operations/retention.md.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createAudit } from '#lib/audit/audit.ts';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { retentionIssues } from '#lib/retention/config.ts';
import { type RetentionRule, removeOver } from '#lib/retention/rule.ts';
import { dispatchRetention } from '#services/dispatch/retention.ts';
import { countConvertible, MOST_COUNTED, readConversion } from '#services/engine/audit-events/conversion-store.ts';
import { dropMonth, type EventMonth, monthsOver, readMonths } from '#services/engine/audit-events/retention.ts';
import { engineRetention } from '#services/engine/retention.ts';
import { identityRetention } from '#services/identity/retention.ts';
import { operator } from './operator.ts';
import { count } from './printable.ts';
import { createProgress } from './progress.ts';
import { type OpenedService, openServices } from './services.ts';
import type { CommandSite } from './site.ts';
import { runOnSite } from './site-command.ts';
import { tableOf } from './table.ts';

const USAGE = `usage: kedja retention [--apply]

Shows what is kept for how long by KEDJA_RETENTION_*, and what of it is over: months of audit events, which are the access
logs of patients, and rows of each service. Changes nothing.
--apply: removes that, whether Kedja runs or not. The services do so by themselves each hour.
Exit code 0: done; 1: a month could not be removed, or nothing could be done; 130: stopped by Ctrl-C.`;

const STOPPED = 130;
/** A month that others hold on to is tried so often, a second apart. */
const ATTEMPTS = 60;
const PAUSE_MS = 1_000;

interface Command {
  readonly isApply: boolean;
}

interface ServiceRules extends OpenedService {
  readonly rules: readonly RetentionRule[];
}

/** Returns the exit code. */
export function runRetention(args: readonly string[]): Promise<number> {
  return runOnSite(args, { usage: USAGE, parse: parseCommand, run });
}

function parseCommand(args: readonly string[]): Command | undefined {
  const { values } = parseArgs({ args: [...args], options: { apply: { type: 'boolean' } } });
  return { isApply: values.apply ?? false };
}

async function run(site: CommandSite, { isApply }: Command, signal: AbortSignal): Promise<number> {
  // A start checks it, a command does not.
  const issues = retentionIssues(site.config.retention);
  if (issues.length > 0) throw new Error(issues.join('\n'));
  const services = await openRules(site);
  if (!isApply) {
    for (const each of services) console.log(await describe(site, each));
    return 0;
  }
  let hasRemoved = false;
  for (const each of services) {
    const months = each.service === 'engine' ? await dropMonths(site, each.database, signal) : 0;
    if (months === undefined) return signal.aborted ? STOPPED : 1;
    const rows = await removeRows(each, signal);
    if (signal.aborted) return STOPPED;
    hasRemoved ||= months + rows > 0;
  }
  if (!hasRemoved) console.error('Nothing is over.');
  return 0;
}

/** The rules of the services that this database has. @throws Error as {@link openServices} */
async function openRules(site: CommandSite): Promise<ServiceRules[]> {
  const { retention } = site.config;
  const parameters = loadSearchParameters();
  const rulesOf = {
    identity: () => identityRetention(retention),
    dispatch: () => dispatchRetention(retention, parameters),
    engine: () => engineRetention(retention, parameters),
  };
  const services = await openServices(site, ['engine', 'dispatch', 'identity']);
  return services.map((opened) => ({ ...opened, rules: rulesOf[opened.service]() }));
}

async function removeRows({ service, database, rules }: ServiceRules, signal: AbortSignal): Promise<number> {
  const audit = createAudit({ database, clock: systemClock, service });
  const progress = createProgress(process.stderr);
  let sum = 0;
  for (const rule of rules) {
    if (rule.kept === undefined || signal.aborted) continue;
    const options = { actor: { principal: operator() }, signal, onBatch: (rows: number) => progress.show(rows) };
    const removed = await removeOver(rule, { database, audit, clock: systemClock }, options);
    progress.clear();
    if (removed > 0) console.error(`${service}: ${count(removed)} ${rule.what} removed.`);
    sum += removed;
  }
  return sum;
}

/** How many months are dropped; undefined when one was in use, or the signal is aborted. */
async function dropMonths(site: CommandSite, database: Database, signal: AbortSignal): Promise<number | undefined> {
  const { accessLog: kept } = site.config.retention;
  if (kept === undefined) return 0;
  const audit = createAudit({ database, clock: systemClock, service: 'engine' });
  const over = monthsOver(await readMonths(database), kept, systemClock.now());
  for (const { month } of over) {
    const events = await withPatience(() => dropMonth({ database, audit }, month, { principal: operator() }), signal);
    if (signal.aborted) return undefined;
    if (events === undefined) {
      console.error(`${month}: in use for a minute; nothing of it was removed. Try again.`);
      return undefined;
    }
    console.error(`${month}: ${events.toLocaleString('en')} audit events removed.`);
  }
  if (over.length > 0) console.error(`${over.length} months removed.`);
  return over.length;
}

async function withPatience<T>(attempt: () => Promise<T | undefined>, signal: AbortSignal): Promise<T | undefined> {
  for (let tries = 0; tries < ATTEMPTS && !signal.aborted; tries += 1) {
    const done = await attempt();
    if (done !== undefined) return done;
    await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

async function describe(site: CommandSite, { service, database, rules }: ServiceRules): Promise<string> {
  const rows = [[service.toUpperCase(), 'KEPT', 'OVER', '']];
  for (const rule of rules) {
    const before = rule.before(systemClock.now());
    const over = before === undefined ? '' : (await rule.count(database, before)).toLocaleString('en');
    rows.push([rule.what, rule.kept ?? 'without end', over, rule.variable]);
  }
  const { accessLog: kept } = site.config.retention;
  return service === 'engine' ? `${await describeMonths(database, kept)}\n\n${tableOf(rows)}\n` : `${tableOf(rows)}\n`;
}

async function describeMonths(database: Database, kept: number | undefined): Promise<string> {
  const months = await readMonths(database);
  const over = kept === undefined ? [] : monthsOver(months, kept, systemClock.now());
  const rule = kept === undefined ? 'kept without end' : `kept for ${kept} months`;
  const head = `Audit events and access logs: ${rule} (KEDJA_RETENTION_ACCESS_LOG).${await conversionText(database)}`;
  if (months.length === 0) return `${head}\nThere are none.`;
  const rows = months.map((each) => [
    each.month,
    each.events === undefined ? 'not counted yet' : `about ${Math.round(each.events).toLocaleString('en')}`,
    `${(each.bytes / 1024 / 1024).toFixed(1)} MiB`,
    stateOf(each, over),
  ]);
  return `${head}\n${tableOf([['MONTH', 'EVENTS', 'SIZE', ''], ...rows])}`;
}

/** How far audit events of earlier releases have come into the months; nothing where there were none. */
async function conversionText(database: Database): Promise<string> {
  const state = await readConversion(database);
  if (state === undefined) return '';
  const { converted, finishedAt, after, run } = state;
  const count = converted.toLocaleString('en');
  if (finishedAt !== null)
    return converted === 0 ? '' : `\n${count} events of earlier releases were brought into them.`;
  const left = await countConvertible(database, after);
  if (left === 0) return converted === 0 ? '' : `\n${count} events of earlier releases were brought into them.`;
  const many = left > MOST_COUNTED ? `more than ${MOST_COUNTED.toLocaleString('en')}` : left.toLocaleString('en');
  const what = run === 1 ? 'are still to be looked at' : 'are looked at a second time';
  return `\nEvents of earlier releases are brought into them while Kedja runs: ${count} were, ${many} ${what}.`;
}

function stateOf(month: EventMonth, over: readonly EventMonth[]): string {
  return over.includes(month) ? 'over: --apply removes it' : '';
}
