// First views at the gateway, with a renderer in the place of the console's. The tests check for whom it reads, what is
// put into the page, and that a page comes whatever the renderer does (docs/adr/0130).
import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { createSessionCookies } from '#lib/sign-in/cookies.ts';
import { startTestGateway } from '#test/support/gateway.ts';
import { EARLY_HASH, EARLY_SCRIPT } from './early.ts';
import type { ConsoleRenderer, RenderingPlace } from './first-view.ts';

const VIEW = { title: '<title>T</title>', styles: '#root a{b:c}', html: "<h1>$& $' __NONCE__</h1>", state: '{}' };
let render: ConsoleRenderer['render'] = async () => VIEW;
const places: RenderingPlace[] = [];
const { app, clock } = await startTestGateway(
  { after },
  {
    render(path, place) {
      places.push(place);
      return render(path, place);
    },
  },
);
const keys = fixedKeys(Buffer.alloc(32, 7));
const sealed = createSessionCookies({ service: 'console', keys, isSecure: true, clock });
const cookieOf = (token: string) => sealed.session(token).split(';')[0] ?? '';
const cookie = cookieOf('a.b.c');

/** A busy machine may take longer to render than a person waits for it. */
const limit = mock.method(AbortSignal, 'timeout', () => new AbortController().signal);

/** As a person opens it. */
function open(headers: Record<string, string> = {}, url = '/plan') {
  return app.inject({ url, headers: { cookie, ...headers } });
}

test('the view is in the page as it was rendered, with what it shows, its style sheet and the first script', async () => {
  render = async () => VIEW;
  const { body, headers } = await open();
  const policy = String(headers['content-security-policy']);
  const nonce = /style-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1];
  assert.ok(
    body.includes(`<div id="root">${VIEW.html}</div><script type="application/json" id="first-view">{}</script>`),
  );
  assert.ok(body.includes(`#root a{b:c}</style>${VIEW.title}`));
  assert.ok(body.includes(`<style nonce="${nonce}">`));
  assert.ok(body.includes(`<script>${EARLY_SCRIPT}</script>`));
  assert.ok(policy.includes(`script-src 'self' '${EARLY_HASH}';`), 'no nonce for scripts');
  assert.equal(headers['cache-control'], 'no-store');
});

test('it reads as the browser would, for the person of the session alone, also when several are rendered at once', async () => {
  render = async (path, { fetch }) => {
    const read = await fetch(new Request('http://gateway.invalid/dispatch/api/v1/things?x=1'));
    const { headers, url } = (await read.json()) as { headers: Record<string, string>; url: string };
    const { authorization, cookie: passed, 'user-agent': agent } = headers;
    return {
      ...VIEW,
      html: JSON.stringify([path, url, authorization, passed ?? null, agent, headers['kedja-console'] ?? null]),
    };
  };
  const tokens = ['a.a.a', 'b.b.b', 'c.c.c', 'd.d.d'];
  const pages = await Promise.all(
    tokens.map((token) => open({ cookie: cookieOf(token), 'user-agent': `of ${token}` })),
  );
  pages.forEach(({ body }, index) => {
    const token = tokens[index];
    const seen = ['/plan', '/api/v1/things?x=1', `Bearer ${token}`, null, `of ${token}`, null];
    assert.ok(body.includes(JSON.stringify(seen)), body);
    for (const other of tokens) if (other !== token) assert.ok(!body.includes(other));
  });
});

test('the reader’s language, look and zone are those of the cookie, and of the browser where it says none or nonsense', async () => {
  render = async () => VIEW;
  const seen = async (view: string) => {
    const headers = { cookie: `${cookie}; ${view}`, 'accept-language': 'en' };
    const { body } = await open(headers);
    const { language, colorScheme, timeZone } = places.at(-1) ?? {};
    return [language, colorScheme, timeZone, /data-view="([^"]*)"/.exec(body)?.[1]];
  };
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  assert.deepEqual(await seen('kedja-view=sv.dark.Asia/Kolkata'), ['sv', 'dark', 'Asia/Kolkata', 'sv.dark.330']);
  assert.deepEqual((await seen('kedja-view=browser.auto.Etc/GMT+3')).slice(2), ['Etc/GMT+3', 'en.auto.-180']);
  for (const bad of [
    'kedja-view=sv.dark.No/Where',
    'kedja-view=xx."><script>.UTC',
    `kedja-view=sv.auto.${'a'.repeat(99)}`,
  ])
    assert.deepEqual((await seen(bad)).slice(2, 3), [own], bad);
});

test('no view is rendered for what is no visit, nor for whom has no session', async () => {
  render = async () => VIEW;
  const before = places.length;
  for (const headers of [{ 'sec-fetch-dest': 'iframe' }, { 'sec-fetch-dest': 'empty' }, { 'sec-purpose': 'prefetch' }])
    assert.doesNotMatch((await open(headers as Record<string, string>)).body, /first-view"/);
  assert.equal((await app.inject('/plan')).statusCode, 303);
  assert.equal(places.length, before);
});

test('a view may lead on', async () => {
  render = async () => ({ redirect: '/my' });
  const led = await open({}, '/');
  assert.deepEqual([led.statusCode, led.headers.location, led.headers['cache-control']], [303, '/my', 'no-store']);
});

test('whatever the renderer does, the page comes, and the console makes the view', async () => {
  limit.mock.restore();
  for (const broken of [
    async () => undefined,
    () => Promise.reject(new Error('broken')),
    () => new Promise<undefined>(() => undefined),
    (_path: string, { fetch }: RenderingPlace) =>
      fetch(new Request('http://gateway.invalid/dispatch/api/v1/things', { method: 'POST' })).then(() => VIEW),
  ] satisfies ConsoleRenderer['render'][]) {
    render = broken;
    const { statusCode, body } = await open();
    assert.equal(statusCode, 200);
    assert.ok(body.includes('<div id="root"></div>'));
    assert.doesNotMatch(body, /data-view|first-view"/);
  }
});
