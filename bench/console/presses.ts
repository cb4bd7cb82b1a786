// How long a press takes until the page shows that it was pressed. This is the worst of a walk through a face, by
// pointer and by keys.
import type { Page } from 'playwright-core';
import { settled } from '#test/support/console/visitor.ts';
import type { Figure } from '../report.ts';
import type { ConsoleSite } from './site.ts';
import { slowDown, timingsOf, watchTimings } from './timings.ts';

const MUST_MS = 100;
/** Event Timing rounds to so much, and leaves out what is shorter than two of it. */
const STEP_MS = 8;

/** Loads a screen. */
type Open = (address: string) => Promise<void>;

const WALKS = {
  planner: async (page: Page, open: Open) => {
    await open('/plan');
    for (const name of ['Patienter', 'Uppdrag', 'Uppföljning', 'Bibliotek', 'Att göra']) await follow(page, name);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').locator('input').waitFor();
    await page.keyboard.type('berg', { delay: 60 });
    await page.keyboard.press('Escape');
    await open('/plan/forms/new');
    await page.getByLabel('Formulärets namn').click();
    await page.keyboard.type('Ett formulär', { delay: 40 });
  },
  admin: async (page: Page, open: Open) => {
    await open('/admin');
    for (const name of ['Användare', 'Grupper', 'Organisationer', 'API-nycklar', 'Att besluta'])
      await follow(page, name);
    await open('/developer/fhir');
    await page.locator('main a').first().click();
    await settled(page);
  },
} as const;

export async function pressFigures(site: ConsoleSite): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [person, walk] of Object.entries(WALKS) as [keyof typeof WALKS, (typeof WALKS)['planner']][]) {
    for (const rate of [1, 4]) {
      const worst = await worstOf(site, person, { walk, rate });
      figures.push({
        name: `${person}: a press, worst of a walk${rate === 1 ? '' : `, processor ${rate} × slower`}`,
        value: worst <= STEP_MS ? '< 16 ms' : `${worst} ms`,
        // A slower processor is for information.
        ...(rate === 1 ? { must: `≤ ${MUST_MS} ms`, isMet: worst <= MUST_MS } : {}),
      });
    }
  }
  return figures;
}

interface Walk {
  readonly walk: (page: Page, open: Open) => Promise<void>;
  readonly rate: number;
}

async function worstOf(site: ConsoleSite, person: 'planner' | 'admin', { walk, rate }: Walk): Promise<number> {
  const viewport = { width: 1280, height: 800 };
  const storageState = site.people[person];
  const context = await site.browser.newContext({ locale: 'sv', viewport, storageState });
  const page = await context.newPage();
  await watchTimings(page);
  await slowDown(page, rate);
  const presses: number[] = [];
  // Each page that is loaded has timings of its own.
  const collect = async () => presses.push(...(await timingsOf(page)).presses);
  await walk(page, async (address) => {
    if (page.url() !== 'about:blank') await collect();
    await page.goto(`${site.gateway}${address}`);
    await settled(page);
  });
  await collect();
  await context.close();
  return Math.max(STEP_MS, ...presses);
}

async function follow(page: Page, name: string): Promise<void> {
  await page.locator('.nav').getByRole('link', { name, exact: true }).click();
  await settled(page);
}
