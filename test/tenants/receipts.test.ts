// What names a request to a provider (a receipt link, a receipt token, a provider's API key) means nothing at another
// tenant, by path and by host name. The pages of a link stay below the tenant's address.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startReceiver } from '#test/support/dispatch/receiver.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { call } from '#test/support/http.ts';
import { type RawResponse, rawRequest } from '#test/support/raw-request.ts';
import { ADMIN } from '#test/support/system/whole-system.ts';
import { createAccounts, PASSWORD } from '../end-to-end/accounts.ts';
import type { Addresses, Scenario } from '../end-to-end/context.ts';
import { fillLibrary } from '../end-to-end/library.ts';
import { admitPatient, arrivalOf, giveConsent, makeRequest, push, taskOf } from '../end-to-end/request.ts';
import { startTenantSystem, succeed } from './tenant-system.ts';

const NAMES = ['default', 'north', 'south'] as const;
type Name = (typeof NAMES)[number];
const HOST = 'north.example.org';
const PLANNER = 'karin.lind@example.org';
const FORM = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };

const hooks = lastFirst({ after });
const receiver = await startReceiver();
hooks.after(() => receiver.close());
const system = await startTenantSystem(
  hooks,
  async ({ tenant, makeRole }) => {
    await succeed(tenant('add', 'north', '--database', await makeRole('north'), '--host', HOST));
    await succeed(tenant('add', 'south', '--database', await makeRole('south')));
  },
  { KEDJA_WEBHOOK_ALLOW_PRIVATE: receiver.address },
);
const { gateway, tenant } = system;
const { host: gatewayHost } = new URL(gateway);

/** What a tenant has sent to providers. */
interface Sent {
  readonly link: string;
  readonly respondUrl: string;
  readonly taskToken: string;
  readonly provider: string;
  readonly apiKey: string;
}
const sent: Partial<Record<Name, Sent>> = {};
const sentOf = (name: Name): Sent => sent[name] ?? assert.fail(`${name} has sent nothing`);

const pathOf = (name: Name) => (name === 'default' ? '' : `/t/${name}`);
const addressesOf = (name: Name): Addresses => ({
  gateway,
  identity: `${gateway}/identity${pathOf(name)}`,
  engine: `${gateway}/engine${pathOf(name)}/api/v1`,
  dispatch: `${gateway}/dispatch${pathOf(name)}/api/v1`,
  admin: ADMIN,
  receiver,
});

/** A way to a tenant: the path before a service's own, and the host name. */
interface Way {
  readonly name: Name;
  readonly prefix: string;
  readonly host: string;
}
const WAYS: readonly Way[] = [
  ...NAMES.map((name) => ({ name, prefix: pathOf(name), host: gatewayHost })),
  { name: 'north', prefix: '', host: HOST },
];

const ask = (way: Way, service: 'dispatch' | 'engine', path: string, headers: Readonly<Record<string, string>> = {}) =>
  rawRequest(gateway, `/${service}${way.prefix}${path}`, { headers: { host: way.host, ...headers } });

function post(way: Way, path: string, fields: Readonly<Record<string, string>>): Promise<RawResponse> {
  const body = new URLSearchParams({ lang: 'en', ...fields }).toString();
  const headers = { ...FORM, host: way.host };
  return rawRequest(gateway, `/dispatch${way.prefix}${path}`, { method: 'POST', headers, body });
}

async function sendAt(name: Name, people: Scenario['accounts']): Promise<Sent> {
  const addresses = addressesOf(name);
  const signIn = async (email: string, password: string): Promise<string> =>
    (await call(`${addresses.identity}/api/auth/login`, { json: { email, password } })).body.token;
  const [admin, planner] = [await signIn(ADMIN.email, ADMIN.password), await signIn(PLANNER, PASSWORD)];
  const accounts = { ...people, admin, planner };
  if (name !== 'default') await admitPatient(addresses, accounts);
  const scenario = { addresses, accounts, library: await fillLibrary(addresses, accounts) };
  await giveConsent(addresses, accounts);
  const { id, matches } = await makeRequest(scenario);
  const { pushed } = await push(addresses, accounts, id, 202);
  const { hosted, outside, outsideKey } = scenario.library;
  const requestOf = (provider: string): string =>
    pushed.find((each: Record<string, string>) => each['match_guid'] === matches.get(provider)).request_guid;
  const { event } = await arrivalOf(addresses, 'request.dispatched', requestOf(outside));
  const link = `${addresses.dispatch}/ServiceRequest/${id}/matches/${matches.get(outside)}/link`;
  return {
    link: (await call(link, { token: planner, json: {} })).body.link,
    respondUrl: event.data.respond_url,
    taskToken: (await taskOf(addresses, accounts, requestOf(hosted), 'received')).receipt_token,
    provider: outside,
    apiKey: outsideKey,
  };
}

before(async () => {
  const people = await createAccounts(addressesOf('default'));
  for (const name of ['north', 'south'])
    for (const email of [ADMIN.email, PLANNER]) await succeed(tenant('admit', name, email));
  for (const name of NAMES) sent[name] = await sendAt(name, people);
});

test('what a tenant sends leads to its own address', () => {
  const byHost = gateway.replace(new URL(gateway).hostname, HOST);
  for (const [name, base] of [
    ['default', `${gateway}/dispatch`],
    ['north', `${byHost}/dispatch`],
    ['south', `${gateway}/dispatch/t/south`],
  ] as const) {
    const { link, respondUrl } = sentOf(name);
    assert.match(link.replace(base, 'BASE'), /^BASE\/receipt#[\w-]{43}$/);
    assert.match(respondUrl.replace(base, 'BASE'), /^BASE\/api\/v1\/.+\/respond$/);
  }
});

test('links, receipt tokens and keys of one tenant mean nothing at another', async () => {
  for (const from of NAMES) {
    const { link, respondUrl, taskToken, provider, apiKey } = sentOf(from);
    const token = link.split('#')[1] ?? '';
    const respond = respondUrl.slice(respondUrl.indexOf('/api/v1/'));
    for (const way of WAYS) {
      const at = `what ${from} sent, at ${way.host}${way.prefix}`;
      const isOwn = way.name === from;
      assert.equal((await post(way, '/receipt', { token })).status, isOwn ? 200 : 404, at);
      assert.equal((await ask(way, 'engine', `/api/v1/provider-tasks/${taskToken}`)).status, isOwn ? 200 : 404, at);
      const feed = `/api/v1/requests?provider_guid=${provider}`;
      const listed = await ask(way, 'dispatch', feed, { 'x-api-key': apiKey });
      assert.equal(listed.status, isOwn ? 200 : 401, at);
      if (isOwn) continue;
      const answer = await rawRequest(gateway, `/dispatch${way.prefix}${respond}`, {
        method: 'POST',
        headers: { host: way.host, 'content-type': 'application/json' },
        body: JSON.stringify({ decision: 'accepted' }),
      });
      assert.equal(answer.status, 404, at);
      const accepted = await post(way, '/receipt', { token, decision: 'accepted' });
      assert.equal(accepted.status, 404, at);
      assert.doesNotMatch(accepted.text, /Berg|Andning/);
    }
  }
});

/** Where the forms and links of the page lead, and what it loads. */
function targetsOf(page: string, url: string): string[] {
  const found = [...page.matchAll(/(?:action|href|src)="([^"]*)"/g), ...page.matchAll(/\.action='([^']*)'/g)];
  return found
    .map(([, target = '']) => target.replaceAll('&amp;', '&'))
    .filter((target) => !/^(#|mailto:|tel:|data:)/.test(target))
    .map((target) => new URL(target, url).href);
}

test('the pages of a link stay at the tenant’s address', async () => {
  for (const way of WAYS) {
    const token = sentOf(way.name).link.split('#')[1] ?? '';
    const base = `http://${way.host}/dispatch${way.prefix}/`;
    const empty = await ask(way, 'dispatch', '/receipt', { accept: 'text/html' });
    const open = await post(way, '/receipt', { token });
    const accepted = await post(way, '/receipt', { token, decision: 'accepted' });
    assert.match(accepted.text, /Berg/, 'whoever accepts sees the name');
    const form = /name="form" value="([0-9a-f-]{36})"/.exec(accepted.text)?.[1] ?? '';
    const filled = await post(way, '/receipt', { token, action: 'form', form, go: 'open' });
    assert.match(filled.text, /breath|andningen/);
    for (const page of [empty, open, accepted, filled]) {
      assert.equal(page.status, 200);
      const targets = targetsOf(page.text, `${base}receipt`);
      assert.ok(targets.length > 0, 'the page has a form');
      for (const target of targets) assert.ok(target.startsWith(base), `${target} is not below ${base}`);
    }
  }
});
