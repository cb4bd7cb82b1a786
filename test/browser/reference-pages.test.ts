// The API references of the three services in Chromium, at the service itself and behind the gateway. A reader finds an
// operation, sends it with the example and with ids of earlier responses, in light and dark and on a phone. Pages keep
// their Content-Security-Policy (w3.org/TR/CSP3), load nothing from elsewhere, and are small.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { lastFirst } from '#test/support/hooks.ts';
import { findings, skipReason, startBrowser } from '#test/support/system/browser.ts';
import { signInAsAdmin, startWholeSystem } from '#test/support/system/whole-system.ts';

const skip = skipReason() ?? false;
const hooks = lastFirst({ after });
const system = skip === false ? await startWholeSystem(hooks) : undefined;
const browser = skip === false ? await startBrowser(hooks) : undefined;

/** Bytes of all that a page loads. */
const MOST_BYTES = 400_000;

interface Reader {
  readonly page: Page;
  /** What the browser complained of, violations of the policy with where they were made. */
  readonly complaints: string[];
  /** Origins that the page asked. */
  readonly origins: Set<string>;
  /** Bytes of the pages that were loaded, by their address. */
  readonly sizes: Map<string, number>;
  close(): Promise<void>;
}

async function reader(options: BrowserContextOptions = {}): Promise<Reader> {
  const context = await (browser as Browser).newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  const origins = new Set<string>();
  const sizes = new Map<string, number>();
  await page.exposeFunction('reportViolation', (text: string) => complaints.push(text));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    reportViolation([event.effectiveDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(' ')))`);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:') origins.add(origin);
  });
  page.on('response', async (response) => {
    if (response.request().resourceType() === 'document') sizes.set(response.url(), (await response.body()).length);
  });
  return { page, complaints, origins, sizes, close: () => context.close() };
}

/** Opens an operation's page, as a reader does: by searching for its words. */
async function open(page: Page, root: string, words: string, id: string): Promise<void> {
  await page.goto(`${root}/docs/`);
  await page.getByLabel('Search operations').fill(words);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator(`a[href$="/${id}"]`).click();
  await page.getByRole('button', { name: 'Send' }).waitFor();
}

/** Sends the form as it is filled. Returns the first words of the status. */
async function send(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Send' }).click();
  const status = page.locator('#result [role=status]:not(:empty)');
  await status.waitFor();
  return String(await status.textContent());
}

const PAGES = [
  { service: 'identity', isBehindGateway: false, words: 'health get /api', id: 'getHealth', group: 'auth' },
  { service: 'engine', isBehindGateway: false, words: 'livez', id: 'getLivez', group: 'Patient' },
  { service: 'dispatch', isBehindGateway: true, words: 'metadata', id: 'getMetadata', group: 'ServiceRequest' },
] as const;

for (const { service, isBehindGateway, words, id, group } of PAGES) {
  const place = isBehindGateway ? ' behind the gateway' : '';
  test(`the reference of ${service}${place}: found, read, sent; policy, size and accessibility hold`, {
    skip,
  }, async () => {
    const root = isBehindGateway ? `${system!.gateway}/${service}` : system![service];
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, complaints, origins, sizes, close } = await reader({
        colorScheme,
        viewport: colorScheme === 'dark' ? { width: 320, height: 640 } : { width: 1200, height: 900 },
      });
      await open(page, root, words, id);
      assert.match(await send(page), /^200/);
      assert.deepEqual(await findings(page), []);
      for (const address of ['/docs/', `/docs/${group}`]) {
        await page.goto(`${root}${address}`);
        assert.deepEqual(await findings(page), []);
      }
      await page.locator('.choices a').nth(1).click();
      await page.waitForURL(`${root}/docs/${group}/*`);
      for (const summary of await page.locator('summary').all()) await summary.click();
      assert.deepEqual(await findings(page), []);
      const width = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      assert.equal(width, 0, 'no sideways scrolling');
      assert.deepEqual(complaints, []);
      assert.deepEqual([...origins], [new URL(root).origin]);
      for (const [url, size] of sizes) assert.ok(size < MOST_BYTES, `${url}: ${size} bytes`);
      await close();
    }
  });
}

test('with a token the examples work: an id of one response is filled into the next form', { skip }, async () => {
  const { page, close } = await reader();
  const root = system!.identity;
  await open(page, root, 'organisations admin get', 'getAdminOrganisations');
  await page.getByLabel('Token or API key').fill((await signInAsAdmin(system!)).authorization.replace('Bearer ', ''));
  await page.getByLabel('Keep it in this tab').check();
  assert.match(await send(page), /^200/);
  await open(page, root, 'users admin get', 'getAdminUsers');
  assert.match(await send(page), /^200/);
  await open(page, root, 'block a user post', 'postAdminUsersBlock');
  assert.match(await page.getByLabel('user_guid').inputValue(), /^[0-9a-f]{8}-/);
  await page.getByLabel('Keep it in this tab').uncheck();
  assert.equal(await page.evaluate(`sessionStorage.getItem('kedja-token')`), null);
  await close();
});
