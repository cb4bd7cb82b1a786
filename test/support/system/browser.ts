// A real browser for tests: one headless Chromium per test file, its profile thrown away. Without Chromium the tests
// are skipped and say so; in CI they fail.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterEach } from 'node:test';
import type { AxeResults, RunOptions } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../../scripts/find-chromium.ts';
import type { Hooks } from '../hooks.ts';

/** No sandbox, because CI runs as root, and none of Chromium's own network requests. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How long a page waits for what must happen: a busy machine takes more than the usual half minute. */
const WAIT_MS = 120_000;

/** The reason to skip a browser test; undefined with a browser, and in CI, where the test must fail. */
export function skipReason(): string | undefined {
  if (findChromium() !== undefined || process.env['CI'] === 'true') return undefined;
  return 'Chromium is not installed (apt-get install chromium-headless-shell, or name one by KEDJA_TEST_CHROMIUM)';
}

/**
 * `more` are further arguments of Chromium.
 * @throws Error when there is no Chromium
 */
export async function startBrowser(hooks: Hooks, more: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('Browser tests need Chromium: apt-get install chromium-headless-shell');
  const browser = await chromium.launch({ executablePath, args: [...ARGUMENTS, ...more], timeout: WAIT_MS });
  hooks.after(() => browser.close());
  reportPages(browser);
  const open = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await open(options);
    context.setDefaultTimeout(WAIT_MS);
    return context;
  };
  return browser;
}

/** How much of a page's text is reported. */
const REPORTED_LENGTH = 600;

/**
 * Adds to the error of a failed test where each open page is: what was waited for says little of what was there. It is
 * in the error's stack, as the report repeats errors at its end.
 */
function reportPages(browser: Browser): void {
  afterEach(async (context) => {
    const cause = 'error' in context ? context.error?.cause : undefined;
    if (!(cause instanceof Error)) return;
    for (const page of browser.contexts().flatMap((each) => each.pages())) {
      const text = page.locator('body').innerText({ timeout: 5_000 });
      const shown = await text.catch((error: unknown) => String(error));
      cause.stack += `\n  The page was ${page.url()}: ${shown.replaceAll(/\s+/g, ' ').slice(0, REPORTED_LENGTH)}`;
    }
  });
}

/** What a page reports from now on: errors of scripts, and errors and warnings on its console. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Chromium reports each response of 400 and above as an error, too.
    const isStatus = message.text().startsWith('Failed to load resource:');
    if (['error', 'warning'].includes(message.type()) && !isStatus) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const AXE_OPTIONS: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  // Half of the processor time goes into describing what is right.
  resultTypes: ['violations'],
};

/** The violations that axe finds on the page (WCAG 2.2 A and AA, best practices). No page has frames. */
export async function findings(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(AXE_OPTIONS)})`)) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}

/**
 * Shows an open page in a width and a colour scheme: axe finds nothing, and nothing scrolls sideways. For pages that
 * the server makes, which differ between views by their style alone.
 */
export async function checkView(page: Page, view: Omit<View, 'language'>, name: string): Promise<void> {
  const { width, colorScheme } = view;
  const what = `${name}, ${colorScheme}, ${width} px`;
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  assert.deepEqual(await findings(page), [], what);
  const needed = Number(await page.evaluate('document.documentElement.scrollWidth'));
  assert.ok(needed <= width, `${what}, needs ${needed} px`);
}

interface View {
  readonly language: 'sv' | 'en';
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}

/** By language: each colour scheme, on a telephone and on a wide screen. */
export const VIEWS: Readonly<Record<View['language'], readonly [View, View]>> = {
  sv: [
    { language: 'sv', colorScheme: 'light', width: 1280 },
    { language: 'sv', colorScheme: 'dark', width: 320 },
  ],
  en: [
    { language: 'en', colorScheme: 'light', width: 320 },
    { language: 'en', colorScheme: 'dark', width: 1280 },
  ],
};
