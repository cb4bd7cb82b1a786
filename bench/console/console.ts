// `npm run bench console [-- --quick] [--only view,list]`: what a person waits for at the console, in Chromium with the
// whole system; the first view beside a bare static page of the same server.
import { loadavg } from 'node:os';
import type { Browser } from 'playwright-core';
import { startScene } from '#test/support/console/scene.ts';
import { type SignedIn, signIn } from '#test/support/console/visitor.ts';
import { stopTestServer } from '#test/support/database/server.ts';
import type { Hooks } from '#test/support/hooks.ts';
import { startBrowser } from '#test/support/system/browser.ts';
import type { BenchmarkOptions } from '../options.ts';
import { type Figure, printTable, progress } from '../report.ts';
import { listFigures } from './list.ts';
import { pressFigures } from './presses.ts';
import { streamFigures } from './stream.ts';
import { viewFigures } from './views.ts';

export interface ConsoleSite {
  readonly browser: Browser;
  readonly gateway: string;
  readonly scene: Awaited<ReturnType<typeof startScene>>;
  readonly people: Readonly<Record<'planner' | 'admin' | 'patient', SignedIn>>;
  readonly isQuick: boolean;
}

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

async function startSite(hooks: Hooks, isQuick: boolean): Promise<ConsoleSite> {
  const scene = await startScene(hooks);
  const browser = await startBrowser(hooks);
  const { gateway, admin } = scene.addresses;
  const enter = (email: string, home: string, password?: string) => signIn(browser, gateway, { email, home, password });
  const people = {
    planner: await enter('karin.lind@example.org', '/plan'),
    admin: await enter(admin.email, '/admin', admin.password),
    patient: await enter('astrid.berg@example.org', '/my'),
  };
  return { browser, gateway, scene, people, isQuick };
}
