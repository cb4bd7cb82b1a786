// Which tenant an address names: one spelling alone, and never two.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedTenant } from './named-tenant.ts';

const make = (name: string, hosts: readonly string[] = []) => ({
  name,
  schema: name,
  databaseUrl: undefined,
  directUrl: undefined,
  hosts,
});
const [north, south] = [make('north', ['north.example']), make('south')];
const names = {
  byName: (name: string) => [north, south].find((tenant) => tenant.name === name),
  byHost: (host: string) => [north, south].find(({ hosts }) => hosts.includes(host)),
};
const named = (url: string, host = 'kedja.example') => namedTenant(url, host, names);

test('the path names the tenant, and is taken away', () => {
  assert.deepEqual(named('/t/south/api/v1/Patient?a=/t/north/'), {
    tenant: south,
    url: '/api/v1/Patient?a=/t/north/',
    prefix: '/t/south',
  });
  assert.deepEqual(named('/api/v1/t/south/x'), { tenant: undefined, url: '/api/v1/t/south/x', prefix: '' });
});

test('a host name counts however it is written, and nothing that only ends like it', () => {
  for (const host of ['north.example', 'NORTH.example', 'north.example:8080', 'north.example.', 'north.example.:80'])
    assert.deepEqual(named('/x', host), { tenant: north, url: '/x', prefix: '' }, host);
  for (const host of ['', 'evil-north.example', 'north.example.evil', 'north.example@evil', 'x.north.example'])
    assert.deepEqual(named('/x', host), { tenant: undefined, url: '/x', prefix: '' }, host);
});

test('path and host agree, or lead nowhere', () => {
  assert.equal(named('/t/south/x', 'north.example'), 'unknown');
  assert.deepEqual(named('/t/north/x', 'north.example'), { tenant: north, url: '/x', prefix: '/t/north' });
});

test('what a router could read as such an address is none', () => {
  const urls = ['/t/west/x', '/t/North/x', '/T/north/x', '/%74/north/x', '/%54/north/x', '/t%2Fnorth/x', '//t/north/x'];
  for (const url of [
    ...urls,
    '/t/',
    '/t/north',
    '/t//north/x',
    '/t/north?x',
    '/t/north/t/south/x',
    '/t/north//t/south/x',
  ])
    assert.equal(named(url), 'unknown', url);
});
