// Processor time of services and their database. Unlike wall time, it holds on a machine that does other work too.
import { readdir, readFile } from 'node:fs/promises';
import type { Database } from '#lib/db/database.ts';

/** Clock ticks of Linux, in which /proc counts. */
const TICKS_PER_SECOND = 100;

export interface ProcessorTimes {
  /** Seconds of the services' processes. */
  readonly services: number;
  /** Seconds of the database's processes, those that have ended included. */
  readonly database: number;
}

/** Seconds of processor time so far; NaN where the system does not report it. */
export async function processorTimes(database: Database, servicePids: readonly number[]): Promise<ProcessorTimes> {
  const { rows } = await database.query<{ pid: number; own: boolean }>(
    'SELECT pid, pid = pg_backend_pid() AS own FROM pg_stat_activity',
  );
  const services = await Promise.all(servicePids.map(statOf));
  const backends = await Promise.all(rows.map(({ pid }) => statOf(pid)));
  const own = backends[rows.findIndex(({ own: isOwn }) => isOwn)];
  const server = await statOf(own?.parent ?? 0);
  const sum = (all: readonly Stat[]) => all.reduce((ticks, stat) => ticks + stat.ticks, 0) / TICKS_PER_SECOND;
  return { services: sum(services), database: sum([...backends, server]) + server.ended / TICKS_PER_SECOND };
}

/** The processes that a process has started and that still run; none where the system does not report it. */
export async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter((pid) => pid > 0);
  const stats = await Promise.all(pids.map(statOf));
  return pids.filter((_, place) => stats[place]?.parent === parent);
}

/** Milliseconds of all threads of a process, by Linux's scheduler, which is more exact than the ticks of above. */
export async function scheduledMs(pid: number): Promise<number> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch(() => []);
  const texts = threads.map((thread) => readFile(`${folder}/${thread}/schedstat`, 'utf8').catch(() => '0'));
  return (await Promise.all(texts)).reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6;
}

interface Stat {
  readonly parent: number;
  readonly ticks: number;
  /** Of its children that have ended. */
  readonly ended: number;
}

async function statOf(pid: number): Promise<Stat> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const missing = process.platform === 'linux' ? 0 : Number.NaN;
  if (text === undefined) return { parent: 0, ticks: missing, ended: missing };
  // After the name, which may hold anything, come the state, the parent and nine numbers. Then come user and system
  // time of the process and of its children that have ended (proc(5)).
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const of = (place: number) => fields[place] ?? Number.NaN;
  return { parent: of(1), ticks: of(11) + of(12), ended: of(13) + of(14) };
}
