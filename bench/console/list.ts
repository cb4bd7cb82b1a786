// A list of 10,000: how many frames a second it scrolls at, and how long its filter takes.
import type { Page } from 'playwright-core';
import type { Figure } from '../report.ts';
import type { ConsoleSite } from './site.ts';
import { timingsOf, watchTimings } from './timings.ts';

const ROWS = 10_000;
const MUST_FRAMES = 55;
const MUST_MS = 100;
const MUST_SHIFT = 0.02;
/** As somebody turns a wheel quickly. */
const SPEED_PX = 4_000;
const DISTANCE_PX = 20_000;

/** Notes when each frame is made. */
const COUNT = `
  window.frames_ = [];
  const note = (at) => { frames_.push(at); requestAnimationFrame(note); };
  requestAnimationFrame(note);
`;

export async function listFigures({ browser, gateway, people }: ConsoleSite): Promise<Figure[]> {
  const viewport = { width: 1280, height: 800 };
  const context = await browser.newContext({ locale: 'sv', viewport, storageState: people.admin });
  const page = await context.newPage();
  await watchTimings(page);
  await openList(page, gateway);
  const frames = await scroll(page);
  await page.evaluate('window.scrollTo(0, 0)');
  await page.getByRole('button', { name: `${ROWS - 100} skapas` }).click();
  await page.getByRole('button', { name: '100 har fel' }).click();
  await page.waitForTimeout(500);
  const { presses, shift } = await timingsOf(page);
  const worst = Math.max(0, ...presses);
  await context.close();
  return [
    {
      name: `a list of ${ROWS}, scrolled`,
      value: `${frames.rate.toFixed(1)} frames/s, longest ${frames.longest.toFixed(0)} ms`,
      must: `≥ ${MUST_FRAMES} frames/s`,
      isMet: frames.rate >= MUST_FRAMES,
    },
    {
      name: `a list of ${ROWS}, its filter pressed, worst`,
      value: `${worst} ms`,
      must: `≤ ${MUST_MS} ms`,
      isMet: worst <= MUST_MS,
    },
    {
      name: `a list of ${ROWS}, layout shift`,
      value: shift.toFixed(3),
      must: `≤ ${MUST_SHIFT}`,
      isMet: shift <= MUST_SHIFT,
    },
  ];
}

/** Users to be imported, one in a hundred with an error. */
async function openList(page: Page, gateway: string): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, index) =>
    index % 100 === 0
      ? 'ingen adress;;Utan;läkare;Region Norr'
      : `n${index}@example.org;Ny;Nilsson ${index};läkare;Region Norr`,
  );
  const text = ['E-post;Förnamn;Efternamn;Yrke;Enhet', ...rows].join('\n');
  await page.goto(`${gateway}/admin/import`);
  const file = { name: 'many.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
  await page.getByLabel('Fil med användare').setInputFiles(file);
  await page.getByRole('button', { name: 'Visa vad som händer' }).click();
  await page.getByRole('button', { name: '100 har fel' }).waitFor({ timeout: 120_000 });
}

async function scroll(page: Page): Promise<{ readonly rate: number; readonly longest: number }> {
  await page.getByRole('list', { name: 'Raderna i filen' }).scrollIntoViewIfNeeded();
  const session = await page.context().newCDPSession(page);
  await page.evaluate(COUNT);
  const gesture = { x: 640, y: 400, speed: SPEED_PX, gestureSourceType: 'mouse' } as const;
  for (const yDistance of [-DISTANCE_PX, DISTANCE_PX, -DISTANCE_PX])
    await session.send('Input.synthesizeScrollGesture', { ...gesture, yDistance });
  const moments = (await page.evaluate('frames_')) as number[];
  const gaps = moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0));
  const seconds = ((moments.at(-1) ?? 0) - (moments[0] ?? 0)) / 1000;
  return { rate: gaps.length / seconds, longest: Math.max(...gaps) };
}
