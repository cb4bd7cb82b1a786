// The list of all users: how long a page takes at each position, and how much memory the whole list takes while it
// streams.

import { residentMegabytes } from '../load/processes.ts';
import { ADMIN } from '../load/site.ts';
import type { Figure } from '../report.ts';
import { medianOf } from '../report.ts';
import { type BenchSite, signIn } from './site.ts';

const PAGES_EACH = 25;
const PAGE_MS = 20;
const STREAM_MB = 64;
const SAMPLE_MS = 20;

export async function measureUserList(site: BenchSite, users: number): Promise<Figure[]> {
  const headers = { authorization: `Bearer ${await signIn(site, ADMIN)}` };
  const figures: Figure[] = [];
  const last = Math.floor(users / 20);
  const places = {
    first: () => 1,
    middle: () => Math.floor(last / 2),
    last: () => last,
    any: (n: number) => 1 + ((n * 7_919) % last),
  };
  for (const [name, pageOf] of Object.entries(places)) {
    const times: number[] = [];
    for (let index = -5; index < PAGES_EACH; index += 1) {
      const taken = await timePage(site, `page=${pageOf(index + 5)}&per_page=20`, headers);
      if (index >= 0) times.push(taken);
    }
    const median = medianOf(times);
    const must = { must: `< ${PAGE_MS} ms`, isMet: median < PAGE_MS };
    figures.push({ name: `GET /api/admin/users, ${name} page of 20`, value: `${median.toFixed(1)} ms`, ...must });
  }
  return [...figures, await measureStream(site, headers)];
}

async function timePage(site: BenchSite, query: string, headers: Record<string, string>): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(`${site.origin}/api/admin/users?${query}`, { headers });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`a page of users answered ${answer.status}`);
  return performance.now() - startedAt;
}

/** The second time, since the first also compiles. */
async function measureStream(site: BenchSite, headers: Record<string, string>): Promise<Figure> {
  await streamUsers(site, headers);
  const before = await residentMegabytes(site.servicePid);
  let peak = before;
  const sampler = setInterval(async () => {
    peak = Math.max(peak, await residentMegabytes(site.servicePid));
  }, SAMPLE_MS);
  const startedAt = performance.now();
  const bytes = await streamUsers(site, headers);
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(sampler);
  return {
    name: `GET /api/admin/users, all (${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s)`,
    value: `+${(peak - before).toFixed(0)} MiB`,
    must: `< ${STREAM_MB} MiB`,
    isMet: peak - before < STREAM_MB,
  };
}

async function streamUsers(site: BenchSite, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(`${site.origin}/api/admin/users`, { headers });
  if (answer.body === null) throw new Error('the list of users came without a body');
  let bytes = 0;
  for await (const chunk of answer.body) bytes += chunk.length;
  return bytes;
}
