// Processor time of the service and its database. Unlike wall time, it holds on a machine that does other work too.
import { readFile } from 'node:fs/promises';
import type { EngineSite } from './site.ts';

/** Clock ticks of Linux, in which /proc counts. */
const TICKS_PER_SECOND = 100;

/**
 * Seconds of processor time so far, of the service and of the database's processes that live; NaN where the system does
 * not tell.
 */
export async function processorSeconds({ database, servicePid }: EngineSite): Promise<number> {
  const { rows } = await database.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
  const each = await Promise.all([servicePid, ...rows.map(({ pid }) => pid)].map(ticksOf));
  return each.reduce((sum, ticks) => sum + ticks, 0) / TICKS_PER_SECOND;
}

async function ticksOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return process.platform === 'linux' ? 0 : Number.NaN;
  // After the name, which may hold anything, come the state and ten numbers, then user and system time.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
