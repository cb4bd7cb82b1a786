// People at the console in Chromium: signed in once, then in as many windows as a test needs. What the page complains
// of and what it asks of other origins is noted.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PASSWORD } from '#test/end-to-end/accounts.ts';
import { eventually } from '#test/support/http.ts';
import { complaintsOf } from '#test/support/system/browser.ts';

/** Where pictures go, when somebody wants to look at them. */
const pictures = process.env['KEDJA_TEST_PICTURES'];

/** A busy machine builds the console for more than half a minute. */
const BUILD_MS = 180_000;

export interface View {
  readonly language: string;
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly complaints: string[];
  /** Closes the window. @throws AssertionError when the page has complained of something */
  leave(): Promise<void>;
}

export type SignedIn = Awaited<ReturnType<BrowserContext['storageState']>>;

/** The cookies of somebody who signed in by the start page. The first start may be building the console. */
export async function signIn(
  browser: Browser,
  gateway: string,
  { email, home, password }: { readonly email: string; readonly home: string; readonly password?: string | undefined },
): Promise<SignedIn> {
  const context = await browser.newContext({ locale: 'sv' });
  const page = await context.newPage();
  await page.goto(`${gateway}/`);
  await page.click('a[href*="/auth/login?page=login"]');
  await fillIn(page, email, password);
  await page.waitForURL((url) => ['/', home].includes(url.pathname));
  const isBuilt = async () => ((await page.goto(`${gateway}${home}`))?.ok() ? true : undefined);
  await eventually('the console was built', isBuilt, BUILD_MS);
  const cookies = await context.storageState();
  await context.close();
  return cookies;
}

export async function fillIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.fill('#email', email);
  await page.fill('#password', password);
  await page.click('form[method=post] button:has-text("in")');
}

export async function visit(browser: Browser, gateway: string, state: SignedIn, view: View): Promise<Visitor> {
  const { language: locale, colorScheme, width } = view;
  const viewport = { width, height: 800 };
  const context = await browser.newContext({ locale, colorScheme, viewport, storageState: state });
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  page.on('request', (request) => {
    if (!request.url().startsWith(`${gateway}/`) && !/^(?:data|blob):/.test(request.url()))
      complaints.push(request.url());
  });
  const leave = async () => {
    assert.deepEqual(complaints, []);
    await context.close();
  };
  return { page, context, complaints, leave };
}

export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('html[data-started] main h1');
  const waiting = page.locator('main [role=status] .visually-hidden');
  await eventually('everything was read', async () => ((await waiting.count()) === 0 ? true : undefined));
}

/**
 * Reloads once the page responds. What is entered before that is entered again when it does
 * (gateway/console/early.ts), so a reload that comes first loses it.
 */
export async function reload(page: Page): Promise<void> {
  await page.waitForSelector('html[data-started]');
  await page.reload();
}

export async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `console-${name}.png`), fullPage: true });
}
