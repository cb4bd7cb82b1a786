// A real browser for tests: one headless Chromium per test file, its profile thrown away. Without Chromium the tests
// are skipped and say so; in CI they fail.
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Hooks } from '../hooks.ts';

/** The headless shell first: the same engine for about a quarter less processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
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

/** The reason to skip a browser test; undefined with a browser, and in CI, where the test must fail. */
export function skipReason(): string | undefined {
  if (findChromium() !== undefined || process.env['CI'] === 'true') return undefined;
  return 'Chromium is not installed (apt-get install chromium-headless-shell, or name one by KEDJA_TEST_CHROMIUM)';
}

/** @throws Error when there is no Chromium */
export async function startBrowser(hooks: Hooks): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('Browser tests need Chromium: apt-get install chromium-headless-shell');
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  hooks.after(() => browser.close());
  return browser;
}

/** The violations that axe finds on the page (WCAG 2.2 A and AA, best practices). */
export async function findings(page: Page): Promise<string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  // Legacy mode spares a further page for each analysis; it matters to frames alone, of which there are none.
  const { violations } = await new AxeBuilder({ page }).withTags(tags).setLegacyMode(true).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}

function findChromium(): string | undefined {
  const named = process.env['KEDJA_TEST_CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Each language and colour scheme, on a telephone and on a wide screen. */
export const VIEWS = [
  { language: 'sv', colorScheme: 'light', width: 1280 },
  { language: 'sv', colorScheme: 'dark', width: 320 },
  { language: 'en', colorScheme: 'light', width: 320 },
  { language: 'en', colorScheme: 'dark', width: 1280 },
] as const;
