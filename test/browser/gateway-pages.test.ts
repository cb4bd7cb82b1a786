// The gateway's own pages in Chromium: axe finds nothing, nothing scrolls sideways, and the links lead to identity's
// pages.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startVisit } from '#test/support/identity/identity-visit.ts';
import { findings, skipReason } from '#test/support/system/browser.ts';

const skip = skipReason() ?? false;
const visit = skip === false ? await startVisit({ after }, { isBehindGateway: true }) : undefined;

for (const view of [
  { language: 'sv', colorScheme: 'light', width: 1280 },
  { language: 'en', colorScheme: 'dark', width: 320 },
] as const) {
  test(`the gateway's pages in ${view.language}, ${view.colorScheme}, ${view.width} px`, { skip }, async () => {
    const { page, complaints, close } = await visit!.open(view);
    const gateway = new URL(visit!.origin).origin;
    for (const path of [
      '/',
      '/developer',
      '/status',
      '/accessibility',
      '/nowhere',
      '/signed-in?code=none',
      '/auth/callback?code=none',
    ]) {
      await page.goto(`${gateway}${path}`);
      assert.equal(await page.getAttribute('html', 'lang'), view.language, path);
      assert.deepEqual(await findings(page), [], path);
      assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= view.width, path);
    }
    for (const path of ['login', 'register', 'access-request', 'change-password']) {
      await page.goto(gateway);
      await page.click(`a[href*="/auth/login?page=${path}&"]`);
      // The way there is a redirect: the click does not wait for it.
      await page.waitForURL((url) => url.pathname === `/identity/${path}`);
      assert.equal(await page.locator('form').count(), 1, path);
      assert.equal(await page.getAttribute('html', 'lang'), view.language, path);
    }
    assert.deepEqual(complaints, []);
    await close();
  });
}
