// A browser without scripts: it keeps the cookies of each host as the standard says (RFC 6265bis §5), follows redirects
// and sends forms. For what happens between host names; what a page looks like is for the tests in Chromium.
import assert from 'node:assert/strict';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';

/** The most redirects that a browser follows. */
const MOST_HOPS = 20;

export interface Seen {
  /** Where the redirects ended. */
  readonly url: URL;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** All addresses on the way, with the first and the last. */
  readonly way: readonly string[];
}

export interface VisitOptions {
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Stops before an address. */
  readonly until?: (url: URL) => boolean;
}

export interface WebVisitor {
  /** By host name: the cookies by name. */
  readonly jar: Map<string, Map<string, string>>;
  open(url: string, options?: VisitOptions): Promise<Seen>;
  /** Sends the form of a page, filled in with these fields beside its hidden ones. */
  submit(page: Seen, fields?: Readonly<Record<string, string>>, options?: VisitOptions): Promise<Seen>;
}

/** Every host name is this machine. */
export function makeVisitor(): WebVisitor {
  const jar: WebVisitor['jar'] = new Map();

  function keep(host: string, line: string): void {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? [];
    assert.match(name, /^__Host-kedja-/, `${host}: ${line}`);
    assert.match(attributes, /^; Path=\/; HttpOnly; SameSite=Lax; Secure(?:; Max-Age=\d+)?$/, `${host}: ${line}`);
    const cookies = jar.get(host) ?? new Map<string, string>();
    jar.set(host, cookies);
    if (attributes.endsWith('Max-Age=0')) cookies.delete(name);
    else cookies.set(name, value);
  }

  async function ask(url: URL, method: string, { form, headers = {} }: VisitOptions) {
    const cookie = [...(jar.get(url.hostname) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = form && new URLSearchParams(form).toString();
    const sent = request({
      host: '127.0.0.1',
      port: url.port,
      path: url.pathname + url.search,
      method,
      rejectUnauthorized: false,
      agent: false,
      headers: {
        host: url.host,
        accept: 'text/html',
        'accept-language': 'en',
        ...(cookie === '' ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
    });
    const answered = new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject);
    });
    sent.end(body);
    const answer = await answered;
    for (const line of answer.headers['set-cookie'] ?? []) keep(url.hostname, line);
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
  }

  async function open(address: string, options: VisitOptions = {}): Promise<Seen> {
    let url = new URL(address);
    let sending = options;
    const way = [url.href];
    for (let hops = 0; hops < MOST_HOPS; hops += 1) {
      const answer = await ask(url, sending.form === undefined ? 'GET' : 'POST', sending);
      const { location } = answer.headers;
      if (location === undefined || answer.status < 300 || answer.status > 399) return { url, ...answer, way };
      url = new URL(location, url);
      way.push(url.href);
      if (options.until?.(url) === true) return { url, ...answer, way };
      sending = {};
    }
    throw new Error(`The redirects do not end:\n${way.join('\n')}`);
  }

  return {
    jar,
    open,
    submit(page, fields = {}, options = {}) {
      const [, action = '', content = ''] =
        /<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/s.exec(page.body) ?? [];
      assert.notEqual(action, '', `no form at ${page.url.href}: ${page.body}`);
      const hidden = [...content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
      const form = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, decoded(value)]));
      const own = { origin: page.url.origin, 'sec-fetch-site': 'same-origin' };
      return open(new URL(action, page.url).href, { ...options, form: { ...form, ...fields }, headers: own });
    },
  };
}

function decoded(value: string): string {
  return value.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
