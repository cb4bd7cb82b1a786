// Where the users of a tenant sign in, by the host names of the tenants file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { originOfHost, signInRootOf } from './tenant-addresses.ts';

const IDENTITY = 'https://kedja.example.org:8443/identity';
const north = { name: 'north', hosts: ['north.example.org', 'northern.example.org'] };
const south = { name: 'south', hosts: ['south.example.org'] };
const west = { name: 'west', hosts: [] };
const namesOf = (...tenants: readonly { readonly name: string; readonly hosts: readonly string[] }[]) => ({
  byHost: (host: string) => {
    const found = tenants.find(({ hosts }) => hosts.includes(host));
    return found && { ...found, schema: found.name, databaseUrl: undefined, directUrl: undefined };
  },
});

test('a host has the scheme and the port of the public address', () => {
  assert.equal(originOfHost(IDENTITY, 'north.example.org'), 'https://north.example.org:8443');
  assert.equal(originOfHost('https://kedja.example.org', 'north.example.org'), 'https://north.example.org');
  assert.equal(originOfHost('http://127.0.0.1:8080', 'localhost'), 'http://localhost:8080');
});

test('the users of every tenant sign in at the public origin', () => {
  const tenants = namesOf(north, south, west);
  for (const tenant of [north, south, west])
    assert.equal(signInRootOf(IDENTITY, tenant, tenants), `${IDENTITY}/t/${tenant.name}`);
});

test('where the public host is that of a tenant, each tenant with a host has its own', () => {
  const first = { name: 'first', hosts: ['first.example.org', 'kedja.example.org'] };
  const tenants = namesOf(first, south, west);
  assert.equal(signInRootOf(IDENTITY, first, tenants), 'https://first.example.org:8443/identity');
  assert.equal(signInRootOf(IDENTITY, south, tenants), 'https://south.example.org:8443/identity');
  assert.equal(signInRootOf(IDENTITY, west, tenants), `${IDENTITY}/t/west`);
});
