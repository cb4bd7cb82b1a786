// What the browser itself measures of a page. These are its largest paint, how it shifts, how long presses take (W3C
// Largest Contentful Paint, Layout Instability and Event Timing).
import type { Page } from 'playwright-core';

/** Runs in the page before its own scripts. */
const WATCH = `
  window.timings = { paint: 0, shift: 0, presses: [] };
  const watch = (type, note, more) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...more });
  watch('largest-contentful-paint', (entry) => (timings.paint = entry.startTime));
  watch('layout-shift', (entry) => entry.hadRecentInput || (timings.shift += entry.value));
  watch('event', (entry) => entry.interactionId > 0 && timings.presses.push(entry.duration), { durationThreshold: 16 });
`;

export interface Timings {
  /** In milliseconds after the navigation began. */
  readonly paint: number;
  /** The sum of all shifts that no input brought about, without a unit. */
  readonly shift: number;
  /** Of each event that a person made, until the next paint: milliseconds in steps of 8, without those below 16. */
  readonly presses: readonly number[];
}

export function watchTimings(page: Page): Promise<unknown> {
  return page.addInitScript(WATCH);
}

export async function timingsOf(page: Page): Promise<Timings> {
  return (await page.evaluate('timings')) as Timings;
}

/** Makes the page's processor so many times slower. */
export async function slowDown(page: Page, rate: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}
