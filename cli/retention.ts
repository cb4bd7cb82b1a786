// `kedja retention`: what is kept for how long, and what of it is over (docs/adr/0127). Operators' page:
// docs/operations/retention.md.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createAudit } from '#lib/audit/audit.ts';
import { systemClock } from '#lib/clock.ts';
import { dropMonth, type EventMonth, monthsOver, readMonths } from '#services/engine/audit-events/retention.ts';
import { retentionIssues } from '#services/engine/config.ts';
import { migrations } from '#services/engine/migrations.ts';
import { operator } from './operator.ts';
import type { CommandSite } from './site.ts';
import { runOnSite } from './site-command.ts';
import { tableOf } from './table.ts';

const USAGE = `usage: kedja retention [--apply]

Shows the months of audit events, which are the access logs of patients, and which of them are older than
KEDJA_RETENTION_ACCESS_LOG. Changes nothing.
--apply: removes those, one after the other, whether Kedja runs or not. The engine does so by itself each hour.
Exit code 0: done; 1: a month could not be removed, or nothing could be done; 130: stopped by Ctrl-C.`;

const STOPPED = 130;
/** A month that others hold on to is tried so often, a second apart. */
const ATTEMPTS = 60;
const PAUSE_MS = 1_000;

interface Command {
  readonly isApply: boolean;
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
  const database = await site.database('engine', migrations);
  const kept = site.config.engine.retentionAccessLog;
  // A start checks it, a command does not.
  const [issue] = retentionIssues(site.config.engine);
  if (issue !== undefined) throw new Error(issue);
  const months = await readMonths(database);
  const over = kept === undefined ? [] : monthsOver(months, kept, systemClock.now());
  if (!isApply) {
    console.log(describe(months, over, kept));
    return 0;
  }
  const audit = createAudit({ database, clock: systemClock, service: 'engine' });
  for (const { month } of over) {
    const events = await withPatience(() => dropMonth({ database, audit }, month, { principal: operator() }), signal);
    if (signal.aborted) return STOPPED;
    if (events === undefined) {
      console.error(`${month}: in use for a minute; nothing of it was removed. Try again.`);
      return 1;
    }
    console.error(`${month}: ${events.toLocaleString('en')} audit events removed.`);
  }
  console.error(over.length === 0 ? 'Nothing is over.' : `${over.length} months removed.`);
  return 0;
}

async function withPatience<T>(attempt: () => Promise<T | undefined>, signal: AbortSignal): Promise<T | undefined> {
  for (let tries = 0; tries < ATTEMPTS && !signal.aborted; tries += 1) {
    const done = await attempt();
    if (done !== undefined) return done;
    await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

function describe(months: readonly EventMonth[], over: readonly EventMonth[], kept: number | undefined): string {
  const rule = kept === undefined ? 'kept without end' : `kept for ${kept} months`;
  const head = `Audit events and access logs: ${rule} (KEDJA_RETENTION_ACCESS_LOG).`;
  if (months.length === 0) return `${head}\nThere are none.`;
  const rows = months.map((each) => [
    each.month,
    `about ${Math.round(each.events).toLocaleString('en')}`,
    `${(each.bytes / 1024 / 1024).toFixed(1)} MiB`,
    over.includes(each) ? 'over: --apply removes it' : '',
  ]);
  return `${head}\n${tableOf([['MONTH', 'EVENTS', 'SIZE', ''], ...rows])}`;
}
