// `npm run demo` from the outside: it prints who can sign in, the start page shows the same, and a second start changes
// nothing. Then the tutorials, on what it has.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { call } from '#test/support/http.ts';
import { prepareDemoCommand } from '#test/support/system/demo-command.ts';
import type { KedjaProcess } from '#test/support/system/processes.ts';
import { DEMO_PASSWORD } from '../../demo/content/people.ts';
import { testTutorials } from '../tutorial/tutorial.ts';

const { gateway, start } = await prepareDemoCommand({ after });
let second: KedjaProcess;

test('the demo starts, prints what there is, ends in order, and starts again on what it has', async () => {
  const first = await start();
  const accounts = [...first.output().matchAll(/^ {2}\S.*? (\S+@\S+) +(\S+)$/gm)].map(([, email = '', password]) => ({
    email,
    password,
  }));
  assert.ok(accounts.length >= 6);
  const page = (await call(gateway)).text;
  for (const account of accounts) {
    assert.ok(page.includes(account.email), account.email);
    await call(`${gateway}/identity/api/auth/login`, { json: account, expect: 200 });
  }
  const before = await countRequests();
  assert.ok(before.total >= 20);
  assert.equal(await first.end('SIGTERM'), 0);

  second = await start();
  assert.deepEqual(await countRequests(), before);
});

testTutorials(gateway);

test('and ends in order after that', async () => {
  assert.equal(await second.end('SIGTERM'), 0);
});

async function countRequests(): Promise<{ total: number; versions: string[] }> {
  const json = { email: 'karin.lindqvist@example.org', password: DEMO_PASSWORD };
  const { token } = (await call(`${gateway}/identity/api/auth/login`, { json })).body;
  const asAdmin = (
    await call(`${gateway}/identity/api/auth/login`, {
      json: { email: 'admin@demo.kedja.example', password: DEMO_PASSWORD },
    })
  ).body.token;
  const all = (await call(`${gateway}/dispatch/api/v1/ServiceRequest?_count=200`, { token: asAdmin })).body;
  const own = (await call(`${gateway}/dispatch/api/v1/ServiceRequest?_count=200`, { token })).body;
  assert.ok(own.total < all.total, 'Karin sees the requests of her organisation alone');
  const versions = all.entry.map(
    ({ resource }: { resource: { id: string; meta: { versionId: string } } }) =>
      `${resource.id}/${resource.meta.versionId}`,
  );
  return { total: all.total, versions: versions.toSorted() };
}
