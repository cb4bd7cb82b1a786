// `npm run bench console [-- --quick] [--only view,list]`. What a person waits for at the console, in Chromium with the
// whole system. The first view is compared with a bare static page of the same server.
import { loadavg } from 'node:os';
import { stopTestServer } from '#test/support/database/server.ts';
import type { Hooks } from '#test/support/hooks.ts';
import type { BenchmarkOptions } from '../options.ts';
import { type Figure, printTable, progress } from '../report.ts';
import { listFigures } from './list.ts';
import { pressFigures } from './presses.ts';
import { type ConsoleSite, startSite } from './site.ts';
import { streamFigures } from './stream.ts';
import { viewFigures } from './views.ts';

const PARTS: Readonly<Record<string, (site: ConsoleSite) => Promise<Figure[]>>> = {
  view: viewFigures,
  press: pressFigures,
  list: listFigures,
  stream: streamFigures,
};

/** Prints the table; whether every must is met. */
export async function benchConsole({ isQuick, only }: BenchmarkOptions): Promise<boolean> {
  const cleanUps: (() => Promise<void>)[] = [];
  const hooks: Hooks = { after: (cleanUp) => void cleanUps.push(cleanUp) };
  try {
    const site = await startSite(hooks, isQuick);
    const load = (loadavg()[0] ?? 0).toFixed(1);
    const words = only.split(',');
    const figures: Figure[] = [];
    for (const [name, measure] of Object.entries(PARTS)) {
      if (!words.some((word) => name.includes(word))) continue;
      progress(name);
      figures.push(...(await measure(site)));
    }
    progress('');
    console.log(`\nconsole, Chromium ${site.browser.version()}, load ${load} before`);
    return printTable(figures);
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
    await stopTestServer();
  }
}
