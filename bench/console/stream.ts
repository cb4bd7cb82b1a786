// A planner's home while fifty events a second arrive: whether presses are answered, whether what is new appears, and
// how often the services are asked.
import { setTimeout as delay } from 'node:timers/promises';
import { giveConsent, match, push, writeRequest } from '#test/end-to-end/request.ts';
import { settled } from '#test/support/console/visitor.ts';
import { call } from '#test/support/http.ts';
import type { Figure } from '../report.ts';
import type { ConsoleSite } from './site.ts';
import { timingsOf, watchTimings } from './timings.ts';

const RATE = 50;
const SECONDS = 10;
const QUICK_SECONDS = 4;
const MUST_MS = 100;
/** Of the readings that a screen makes by itself. */
const MUST_READINGS = 2;

export async function streamFigures({ browser, gateway, people, scene, isQuick }: ConsoleSite): Promise<Figure[]> {
  const seconds = isQuick ? QUICK_SECONDS : SECONDS;
  const { addresses, accounts, library } = scene;
  await giveConsent(addresses, accounts);
  const { id } = await writeRequest(addresses, accounts, library);
  const matches = await match(addresses, accounts, id);
  const { pushed } = await push(addresses, accounts, id, 202);
  const outside = matches.get(library.outside);
  const request = pushed.find((each: { match_guid: string }) => each.match_guid === outside).request_guid;
  const ask = (question: string) =>
    call(`${addresses.dispatch}/requests/${request}/questions`, { apiKey: library.outsideKey, json: { question } });

  const viewport = { width: 1280, height: 800 };
  const context = await browser.newContext({ locale: 'sv', viewport, storageState: people.planner });
  const page = await context.newPage();
  await watchTimings(page);
  let readings = 0;
  page.on('request', (sent) => {
    if (sent.url().includes('/notifications?') || sent.url().endsWith('/notifications')) readings += 1;
  });
  await page.goto(`${gateway}/plan`);
  await settled(page);
  readings = 0;
  const startedAt = performance.now();
  let sent = 0;
  const running: Promise<unknown>[] = [];
  const presses = walk();
  while (performance.now() - startedAt < seconds * 1000) {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * RATE);
    for (; sent < due; sent += 1) running.push(ask(`Fråga ${sent}`));
    await delay(10);
  }
  await Promise.all(running);
  const took = (performance.now() - startedAt) / 1000;
  await presses;
  const { presses: durations } = await timingsOf(page);
  const lastAt = performance.now();
  await ask('Den sista frågan');
  await page.goto(`${gateway}/plan/requests/${id}`);
  await page.getByText('Den sista frågan').first().waitFor();
  const worst = Math.max(0, ...durations);
  await context.close();
  const rate = readings / took;
  return [
    { name: 'events that arrived', value: `${(sent / took).toFixed(0)}/s for ${took.toFixed(0)} s` },
    {
      name: 'a press meanwhile, worst',
      value: `${worst} ms`,
      must: `≤ ${MUST_MS} ms`,
      isMet: worst <= MUST_MS,
    },
    {
      name: 'readings of one list meanwhile',
      value: `${rate.toFixed(1)}/s`,
      must: `≤ ${MUST_READINGS}/s`,
      isMet: rate <= MUST_READINGS,
    },
    { name: 'the last event is on the page after', value: `${(performance.now() - lastAt).toFixed(0)} ms` },
  ];

  /** Presses the menu's links the while, without a new page. */
  async function walk(): Promise<void> {
    const nav = page.locator('.nav');
    for (let round = 0; performance.now() - startedAt < seconds * 1000; round += 1) {
      const name = round % 2 === 0 ? 'Uppdrag' : 'Att göra';
      await nav.getByRole('link', { name, exact: true }).click();
      await delay(300);
    }
  }
}
