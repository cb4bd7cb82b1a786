// The first view of each face with nothing cached: how much script, when the largest paint is, how much it shifts.
import type { Page } from 'playwright-core';
import type { SignedIn } from '#test/support/console/visitor.ts';
import { type Figure, medianOf } from '../report.ts';
import type { ConsoleSite } from './site.ts';
import { slowDown, timingsOf, watchTimings } from './timings.ts';

const FACES = [
  ['/plan', 'planner'],
  ['/care', 'planner'],
  ['/admin', 'admin'],
  ['/my', 'patient'],
  ['/operate', 'admin'],
  ['/developer', 'planner'],
] as const;
/** A page of the same server without scripts. */
const BARE = '/accessibility';
const SLOWER = 4;
const RUNS = 5;
const QUICK_RUNS = 2;
/** After the last request: late paints and shifts count, too. */
const SETTLE_MS = 1_000;

const MUST_BYTES = 170_000;
const MUST_TIMES = 2;
const MUST_MORE_MS = 300;
const MUST_SHIFT = 0.02;

interface View {
  readonly script: number;
  readonly paint: number;
  readonly shift: number;
}

export async function viewFigures(site: ConsoleSite): Promise<Figure[]> {
  const figures: Figure[] = [];
  const runs = site.isQuick ? QUICK_RUNS : RUNS;
  for (const [face, person] of FACES) {
    const [views, bare]: [View[], View[]] = [[], []];
    for (let run = 0; run < runs; run += 1) {
      bare.push(await open(site, BARE, site.people[person]));
      views.push(await open(site, face, site.people[person]));
    }
    figures.push(...figuresOf(face, views, bare));
  }
  return figures;
}

function figuresOf(face: string, views: readonly View[], bare: readonly View[]): Figure[] {
  const median = (from: readonly View[], name: keyof View) => medianOf(from.map((view) => view[name]));
  const script = median(views, 'script');
  const [paint, barePaint] = [median(views, 'paint'), median(bare, 'paint')];
  const most = MUST_TIMES * barePaint + MUST_MORE_MS;
  const shift = Math.max(...views.map((view) => view.shift));
  return [
    {
      name: `${face} script of the first view`,
      value: `${(script / 1000).toFixed(1)} kB`,
      must: `≤ ${MUST_BYTES / 1000} kB`,
      isMet: script <= MUST_BYTES,
    },
    {
      name: `${face} largest paint, processor ${SLOWER} × slower`,
      value: `${paint.toFixed(0)} ms`,
      bare: `${barePaint.toFixed(0)} ms`,
      ratio: `${(paint / barePaint).toFixed(1)} ×`,
      must: `≤ ${most.toFixed(0)} ms`,
      isMet: paint <= most,
    },
    {
      name: `${face} layout shift, worst of ${views.length}`,
      value: shift.toFixed(3),
      must: `≤ ${MUST_SHIFT}`,
      isMet: shift <= MUST_SHIFT,
    },
  ];
}

/** A window of its own each time, so that nothing is cached. */
async function open({ browser, gateway }: ConsoleSite, address: string, person: SignedIn): Promise<View> {
  const viewport = { width: 1280, height: 800 };
  const context = await browser.newContext({ locale: 'sv', viewport, storageState: person });
  const page = await context.newPage();
  await watchTimings(page);
  await slowDown(page, SLOWER);
  const script = scriptOf(page);
  await page.goto(`${gateway}${address}`, { waitUntil: 'load' });
  await page.waitForSelector('main h1');
  await page.waitForTimeout(SETTLE_MS);
  const { paint, shift } = await timingsOf(page);
  const bytes = await script();
  await context.close();
  return { script: bytes, paint, shift };
}

/** Counts the bytes of scripts as they are sent. */
function scriptOf(page: Page): () => Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (request.resourceType() === 'script')
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  return async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
