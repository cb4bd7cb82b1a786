// From a push to the first byte at the receiver, at fifty pushes a second, and how much dead receivers slow down the
// others. The limits are p50 below 30 ms and p99 below 250 ms; with dead receivers p99 grows by less than a fifth.
import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, progress } from '../report.ts';
import { providerOf } from './content.ts';
import { copyRequests, type Finalized, type PendingRequest } from './fill.ts';
import { monotonicMs } from './monotonic.ts';
import type { DispatchSite } from './site.ts';

const PER_SECOND = 50;
const ENDPOINTS = 50;
/** Half of them refuse connections, half take them and never answer. */
const DEAD = 10;
const MUST = { p50: 30, p99: 250, growth: 0.2 } as const;
/** Longer than an attempt may take. */
const AFTER_DEAD_MS = 16_000;
/** A port at which nobody listens. */
const REFUSING_URL = 'http://127.0.0.1:9/hook';

export async function measurePushing(site: DispatchSite, original: Finalized, isQuick: boolean): Promise<Figure[]> {
  const [rounds, seconds] = isQuick ? [2, 10] : [3, 30];
  const perRound = seconds * PER_SECOND;
  progress('requests to push');
  const warmUp = 2 * PER_SECOND;
  const requests = await copyRequests(site.database, original, {
    count: warmUp + 2 * rounds * perRound,
    providers: ENDPOINTS,
  });
  await site.database.query('VACUUM ANALYZE');
  for (let index = 0; index < ENDPOINTS; index += 1) await setEndpoint(site, index, site.receivers.url);
  await pushAll(site, requests.splice(0, warmUp), new Set());
  const dead = new Set(Array.from({ length: DEAD }, (_, index) => providerOf(index)));
  const [alive, beside]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    progress(`pushing, round ${round + 1} of ${rounds}, all alive`);
    alive.push(...(await pushAll(site, requests.splice(0, perRound), dead)));
    progress(`pushing, round ${round + 1} of ${rounds}, ${DEAD} dead`);
    for (let index = 0; index < DEAD; index += 1) {
      await setEndpoint(site, index, index % 2 === 0 ? REFUSING_URL : site.receivers.silentUrl);
    }
    beside.push(...(await pushAll(site, requests.splice(0, perRound), dead)));
    await revive(site);
  }
  return figuresOf(alive, beside);
}

function figuresOf(alive: number[], beside: number[]): Figure[] {
  const [p50, p99] = [percentile(alive, 0.5), percentile(alive, 0.99)];
  const besideDead = percentile(beside, 0.99);
  const growth = besideDead / p99 - 1;
  const name = `push → first byte, ${PER_SECOND}/s`;
  const shown = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms`;
  const isMet = p50 < MUST.p50 && p99 < MUST.p99;
  return [
    { name, value: shown, must: `p50 < ${MUST.p50} ms, p99 < ${MUST.p99} ms`, isMet },
    {
      name: `healthy ones beside ${DEAD} dead of ${ENDPOINTS}`,
      value: `p50 ${percentile(beside, 0.5).toFixed(1)} ms, p99 ${besideDead.toFixed(0)} ms`,
      bare: `p99 ${p99.toFixed(0)} ms`,
      ratio: `${growth < 0 ? '' : '+'}${(100 * growth).toFixed(0)} %`,
      must: `p99 + < ${100 * MUST.growth} %`,
      isMet: growth < MUST.growth,
    },
  ];
}

/**
 * Pushes at the fixed rate, whatever the answers take; milliseconds to the first byte of each that went to a healthy
 * provider.
 */
async function pushAll(
  site: DispatchSite,
  requests: readonly PendingRequest[],
  dead: ReadonlySet<string>,
): Promise<number[]> {
  await site.receivers.take();
  const startsAt = monotonicMs();
  const pushing = requests.map(async ({ id, providerGuid }, index) => {
    await delay(Math.max(1, startsAt + (index * 1000) / PER_SECOND - monotonicMs()));
    const pushedAt = monotonicMs();
    const { body } = await site.dispatch('POST', `ServiceRequest/${id}/push`, {});
    return { pushedAt, deliveryGuid: deliveryOf(body), isCounted: !dead.has(providerGuid) };
  });
  const pushed = (await Promise.all(pushing)).filter(({ isCounted }) => isCounted);
  const arrivals = new Map<string, number>();
  for (let waited = 0; pushed.some(({ deliveryGuid }) => !arrivals.has(deliveryGuid)); waited += 50) {
    if (waited > 30_000) throw new Error('Not every push has arrived within 30 s');
    await delay(50);
    for (const [id, at] of await site.receivers.take()) arrivals.set(id, at);
  }
  return pushed.map(({ pushedAt, deliveryGuid }) => (arrivals.get(deliveryGuid) ?? Number.NaN) - pushedAt);
}

function deliveryOf(body: Readonly<Record<string, unknown>>): string {
  const pushed: unknown = body['pushed'];
  const first: unknown = Array.isArray(pushed) ? pushed[0] : undefined;
  const guid: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'delivery_guid') : undefined;
  if (typeof guid !== 'string') throw new Error('The push made no delivery');
  return guid;
}

function setEndpoint({ dispatch }: DispatchSite, index: number, url: string): Promise<unknown> {
  return dispatch('PUT', `providers/${providerOf(index)}/endpoint`, { url, enabled: true });
}

/** The dead ones are well again, and everything that waited for them is sent before the next round begins. */
async function revive(site: DispatchSite): Promise<void> {
  for (let index = 0; index < DEAD; index += 1) {
    await setEndpoint(site, index, site.receivers.url);
  }
  await delay(AFTER_DEAD_MS);
  await site.database.query(`UPDATE delivery SET next_at = now() WHERE status = 'waiting'`);
  for (;;) {
    const { rows } = await site.database.query(
      `SELECT FROM delivery WHERE status IN ('queued', 'waiting', 'sending') LIMIT 1`,
    );
    if (rows.length === 0) return;
    await delay(100);
  }
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
}
