// A planner’s screens while fifty events a second arrive: whether presses are answered, whether what is new appears,
// and how often the services are asked. The stream is made in the page; what is read is read from the services.
import { setTimeout as delay } from 'node:timers/promises';
import { giveConsent, match, push, writeRequest } from '#test/end-to-end/request.ts';
import { settled } from '#test/support/console/visitor.ts';
import { call } from '#test/support/http.ts';
import type { Figure } from '../report.ts';
import type { ConsoleSite } from './site.ts';
import { timingsOf, watchTimings } from './timings.ts';

const RATE = 50;
const SECONDS = 10;
const QUICK_SECONDS = 5;
const BETWEEN_PRESSES_MS = 300;
const MUST_MS = 100;
/** Of one list, by the screen itself. */
const MUST_READINGS = 2;

/** Takes the place of the stream of notifications. */
const STREAM = `
  const real = window.fetch;
  window.events_ = 0;
  window.fetch = (input, ...more) => {
    if (!String(input.url ?? input).includes('/notifications/stream')) return real(input, ...more);
    const text = new TextEncoder().encode('event: notification\\ndata: {}\\n\\n');
    const begin = (stream) => setInterval(() => { events_ += 1; stream.enqueue(text); }, ${1000 / RATE});
    return Promise.resolve(new Response(new ReadableStream({ start: begin })));
  };
`;

export async function streamFigures({ browser, gateway, people, scene, isQuick }: ConsoleSite): Promise<Figure[]> {
  const milliseconds = 1000 * (isQuick ? QUICK_SECONDS : SECONDS);
  const { id, ask } = await pushedRequest(scene);
  const viewport = { width: 1280, height: 800 };
  const context = await browser.newContext({ locale: 'sv', viewport, storageState: people.planner });
  const page = await context.newPage();
  await page.addInitScript(STREAM);
  await watchTimings(page);
  let readings = 0;
  page.on('request', (request) => {
    if (/\/notifications(\?|$)/.test(request.url())) readings += 1;
  });
  await page.goto(`${gateway}/plan`);
  await settled(page);
  [readings] = [0];
  const before = Number(await page.evaluate('events_'));
  const startedAt = performance.now();
  for (let round = 0; performance.now() - startedAt < milliseconds; round += 1) {
    const name = round % 2 === 0 ? 'Uppdrag' : 'Att göra';
    await page.locator('.nav').getByRole('link', { name, exact: true }).click();
    await delay(BETWEEN_PRESSES_MS);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const events = (Number(await page.evaluate('events_')) - before) / seconds;
  const worst = Math.max(0, ...(await timingsOf(page)).presses);
  const rate = readings / seconds;
  await page.goto(`${gateway}/plan/requests/${id}`);
  await settled(page);
  const askedAt = performance.now();
  await ask('Finns hiss?');
  await page.getByText('Finns hiss?').first().waitFor();
  const appeared = performance.now() - askedAt;
  await context.close();
  return [
    { name: 'events', value: `${events.toFixed(0)}/s for ${seconds.toFixed(0)} s` },
    { name: 'a press meanwhile, worst', value: `${worst} ms`, must: `≤ ${MUST_MS} ms`, isMet: worst <= MUST_MS },
    {
      name: 'readings of one list meanwhile',
      value: `${rate.toFixed(1)}/s`,
      must: `≤ ${MUST_READINGS}/s`,
      isMet: rate <= MUST_READINGS,
    },
    { name: 'a question is on the page meanwhile', value: `after ${appeared.toFixed(0)} ms` },
  ];
}

/** A request that waits for a provider's answer, and how the provider asks a question about it. */
async function pushedRequest({ addresses, accounts, library }: ConsoleSite['scene']) {
  await giveConsent(addresses, accounts);
  const { id } = await writeRequest(addresses, accounts, library);
  const matches = await match(addresses, accounts, id);
  const { pushed } = await push(addresses, accounts, id, 202);
  const outside = matches.get(library.outside);
  const request = pushed.find((each: { match_guid: string }) => each.match_guid === outside).request_guid;
  const address = `${addresses.dispatch}/requests/${request}/questions`;
  return { id, ask: (question: string) => call(address, { apiKey: library.outsideKey, json: { question } }) };
}
