// A browser at identity's pages: it keeps cookies, and says that its forms come from our own pages.
import assert from 'node:assert/strict';
import { type Identity, REDIRECT } from './identity.ts';
import { PASSWORD } from './identity-people.ts';

type Headers = Readonly<Record<string, string>>;

export interface IdentityBrowser {
  /** The cookies; empty when signed out. */
  readonly jar: Map<string, string>;
  get(url: string, headers?: Headers): ReturnType<typeof send>;
  /** `headers` replace those of a browser. */
  post(url: string, form: Headers, headers?: Headers): ReturnType<typeof send>;
}

/** Sends a request with the cookies, and keeps those of the response. */
async function send(
  { app }: Identity,
  jar: Map<string, string>,
  { method, url, headers, form }: { method: 'GET' | 'POST'; url: string; headers: Headers; form?: Headers },
) {
  const sent = form === undefined ? {} : { payload: new URLSearchParams(form).toString() };
  const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
  const answer = await app.inject({ method, url, headers: { accept: 'text/html', cookie, ...headers }, ...sent });
  const [, name = '', value] = /^([^=]+)=([^;]*)/.exec(String(answer.headers['set-cookie'] ?? '')) ?? [];
  if (value !== undefined) jar.set(name, value);
  return answer;
}

function inEnglish(url: string): string {
  if (/[?&]lang=/.test(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}lang=en`;
}

/** Pages are in English where nothing else is said. `code`: of the second factor, for who has one. */
export async function openBrowser(
  identity: Identity,
  email: string,
  password = PASSWORD,
  code?: string,
): Promise<IdentityBrowser> {
  const jar = new Map<string, string>();
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  const browser: IdentityBrowser = {
    jar,
    get: (url, headers = {}) => send(identity, jar, { method: 'GET', url: inEnglish(url), headers }),
    post: (url, fields, headers = {}) =>
      send(identity, jar, { method: 'POST', url, headers: { ...form, ...headers }, form: { lang: 'en', ...fields } }),
  };
  const next = `${REDIRECT}callback`;
  const asked = await browser.post('/api/auth/login', { email, password, next });
  const challenge = /name="challenge" value="([^"]+)"/.exec(asked.body)?.[1];
  if (code !== undefined && challenge !== undefined) await browser.post('/login/code', { challenge, code, next });
  assert.equal(jar.size, 1, 'signed in');
  return browser;
}
