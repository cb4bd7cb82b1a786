// One session of a browser for all services (decision L11), with a cookie jar. After one sign-in, dispatch and engine
// are used. After a sign-out at one of them everything is refused, to a copy of the cookies too.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { call } from '../call.ts';
import type { Addresses, Story } from '../context.ts';

type Jar = Map<string, string>;

interface Sending {
  readonly form?: Readonly<Record<string, string>>;
}

/** Sends a request as a browser at the public origin, and follows redirects as it does. */
async function browse(
  jar: Jar,
  url: string,
  { form }: Sending = {},
): Promise<{ url: string; status: number; text: string }> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: {
      accept: 'text/html',
      cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(form === undefined ? {} : { 'sec-fetch-site': 'same-origin' }),
    },
    ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
  });
  for (const cookie of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (value === '') jar.delete(name);
    else jar.set(name, value);
  }
  const location = response.headers.get('location');
  const text = await response.text();
  if (location !== null && response.status < 400) return browse(jar, new URL(location, url).href);
  return { url, status: response.status, text };
}

/** Signs in at the gateway by the sign-in page; returns the token that the gateway shows. */
async function signIn(jar: Jar, { gateway, admin }: Addresses): Promise<string> {
  const page = await browse(jar, `${gateway}/sign-in?lang=en`);
  assert.match(page.text, /id="password"/, 'the first sign-in asks');
  const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]));
  const form = { ...fields, email: admin.email, password: admin.password };
  const shown = await browse(jar, `${gateway}/identity/api/auth/login`, { form });
  assert.equal(new URL(shown.url).pathname, '/signed-in', shown.text);
  return /<code>(ey[^<]+)</.exec(shown.text)?.[1] ?? '';
}

export async function oneSessionServesAll({ addresses, secrets, walk }: Story): Promise<void> {
  const jar: Jar = new Map();
  const opened = await walk('E1', () => signsInOnce(addresses, jar));
  for (const secret of opened) secrets.add(secret);
  await walk('E2', () => signsOutEverywhere(addresses, jar, opened));
}

const recordsAt = ({ gateway }: Addresses) => ['dispatch', 'engine'].map((name) => `${gateway}/${name}/api/v1/Patient`);

/** Returns the token and the values of the cookies. */
async function signsInOnce(addresses: Addresses, jar: Jar): Promise<string[]> {
  const { gateway, identity } = addresses;
  const token = await signIn(jar, addresses);
  // The language of the sign-in is no secret.
  const opened = [...jar].flatMap(([name, value]) => (name.endsWith('kedja-language') ? [] : [value]));
  for (const name of ['dispatch', 'engine']) {
    const back = await browse(jar, `${gateway}/${name}/auth/login?lang=en`);
    assert.equal(back.url, `${gateway}/${name}/auth/session`, 'it passes without asking');
  }
  for (const url of recordsAt(addresses)) assert.equal((await browse(jar, url)).status, 200, url);
  const sessions = (await call(`${identity}/api/auth/sessions`, { token })).body;
  const [mine] = sessions.filter(({ current }: { current: boolean }) => current);
  assert.equal(mine.clients.length, 3, 'one session, with gateway, dispatch and engine');
  return [token, ...opened];
}

async function signsOutEverywhere(addresses: Addresses, jar: Jar, [token = '']: readonly string[]): Promise<void> {
  const { gateway, identity } = addresses;
  const copy = new Map(jar);
  const since = Date.now();
  await browse(jar, `${gateway}/engine/auth/logout`, { form: { lang: 'en' } });
  for (const url of recordsAt(addresses)) {
    await eventually(`${url} refused the session`, async () =>
      (await browse(new Map(copy), url)).status === 401 ? true : undefined,
    );
  }
  await call(`${identity}/api/auth/me`, { token, expect: 401 });
  assert.ok(Date.now() - since < 2_500, 'a sign-out takes effect everywhere within two seconds');
  const asked = await browse(new Map(copy), `${gateway}/dispatch/auth/login?lang=en`);
  assert.match(asked.text, /id="password"/, 'a copy of the cookie signs nobody in');
}
