// How fast a long queue is sent, and the processor time of one delivery. Both are measured beside a bare loop on the
// same machine in the same run, before it and after it (must: 60 % of its rate).
import { fork } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dispatchedEnvelope, fillEnvelope } from '#services/dispatch/deliveries/envelope.ts';
import { askBare } from '../load/processes.ts';
import { type ProcessorTimes, processorTimes } from '../load/processor.ts';
import { type Figure, progress } from '../report.ts';
import type { BareLoopJob } from './bare-process.ts';
import { providerOf } from './content.ts';
import type { Finalized, MeasureOptions } from './fill.ts';
import { bundleOf, queueDispatches } from './queue.ts';
import { BASE_URL, type DispatchSite } from './site.ts';

const COUNT = 100_000;
const QUICK_COUNT = 10_000;
const MUST_RATIO = 0.6;
/** As many attempts as one process makes at once. */
const AT_ONCE = 256;
const PROVIDERS = 50;
const BARE_MS = 5000;
const STALLED_MS = 60_000;

export async function measureDraining(
  site: DispatchSite,
  original: Finalized,
  { isQuick, patients }: MeasureOptions,
): Promise<Figure[]> {
  const count = isQuick ? QUICK_COUNT : COUNT;
  for (let index = 0; index < PROVIDERS; index += 1) {
    await site.dispatch('PUT', `providers/${providerOf(index)}/endpoint`, { url: site.receivers.url, enabled: true });
  }
  await site.database.query('VACUUM ANALYZE');
  progress('the bare loop');
  const bareBefore = await bareRate(site, original);
  progress(`queueing ${count} deliveries`);
  await site.receivers.take();
  await site.database.transaction((transaction) =>
    queueDispatches(transaction, site, { original, count, patients, providers: PROVIDERS }),
  );
  progress(`draining ${count} deliveries`);
  const begun = await processorTimes(site.database, [site.servicePid]);
  const perSecond = await drainRate(site, count);
  const spent = perDelivery(begun, await processorTimes(site.database, [site.servicePid]), count);
  progress('the bare loop again');
  const bareAfter = await bareRate(site, original);
  const bare = (bareBefore.perSecond + bareAfter.perSecond) / 2;
  const ratio = perSecond / bare;
  const bareSpent = {
    service: (bareBefore.spent.service + bareAfter.spent.service) / 2,
    database: (bareBefore.spent.database + bareAfter.spent.database) / 2,
  };
  return [
    {
      name: `draining ${count} deliveries`,
      value: `${perSecond.toFixed(0)}/s`,
      bare: `${bare.toFixed(0)}/s`,
      ratio: `${(100 * ratio).toFixed(0)} %`,
      must: `≥ ${100 * MUST_RATIO} %`,
      isMet: ratio >= MUST_RATIO,
    },
    {
      name: 'processor time of a delivery, process + database',
      value: spentText(spent),
      bare: spentText(bareSpent),
      ratio: `${(100 * (totalOf(bareSpent) / totalOf(spent))).toFixed(0)} %`,
    },
  ];
}

/** Microseconds of processor time. */
interface Spent {
  readonly service: number;
  readonly database: number;
}

function perDelivery(from: ProcessorTimes, to: ProcessorTimes, count: number): Spent {
  const each = (seconds: number) => (1e6 * seconds) / count;
  return { service: each(to.services - from.services), database: each(to.database - from.database) };
}

const totalOf = ({ service, database }: Spent) => service + database;
const spentText = ({ service, database }: Spent) => `${service.toFixed(0)} + ${database.toFixed(0)} µs`;

async function bareRate(
  site: DispatchSite,
  original: Finalized,
): Promise<{ readonly perSecond: number; readonly spent: Spent }> {
  const { databaseUrl, receivers } = site;
  const envelope = dispatchedEnvelope(BASE_URL, original.id, Date.now());
  const { pieces } = await fillEnvelope(envelope, { token: 'x'.repeat(43), bundle: bundleOf(original) });
  const body = Buffer.concat(pieces).toString('utf8');
  const bare = fork(path.join(import.meta.dirname, 'bare-process.ts'));
  try {
    const job = { databaseUrl, receiverUrl: receivers.url, body, atOnce: AT_ONCE };
    // The first round compiles its code and opens its connections.
    await askBare(bare, { ...job, milliseconds: BARE_MS / 5 } satisfies BareLoopJob);
    const pids = [bare.pid ?? 0];
    const begun = await processorTimes(site.database, pids);
    const perSecond = await askBare(bare, { ...job, milliseconds: BARE_MS } satisfies BareLoopJob);
    const count = (perSecond * BARE_MS) / 1000;
    return { perSecond, spent: perDelivery(begun, await processorTimes(site.database, pids), count) };
  } finally {
    bare.kill();
  }
}

/** Deliveries a second from the first arrival to the last. */
async function drainRate({ receivers }: DispatchSite, count: number): Promise<number> {
  let [arrived, movedAt] = [0, performance.now()];
  while (arrived < count) {
    await delay(100);
    const now = await receivers.count();
    if (now > arrived) movedAt = performance.now();
    if (performance.now() - movedAt > STALLED_MS) throw new Error(`Only ${now} of ${count} deliveries have arrived`);
    arrived = now;
  }
  const times = [...(await receivers.take()).values()];
  const [first, last] = times.reduce(([from, to], at) => [Math.min(from, at), Math.max(to, at)], [Infinity, 0]);
  return ((count - 1) / (last - first)) * 1000;
}
