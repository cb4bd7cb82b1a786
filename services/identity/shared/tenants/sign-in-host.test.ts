// Where the pages of identity lead who is done with them: to the console, or to the tenant at whose address they are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASE_URL } from '#test/support/identity/identity.ts';
import { atTenant, TENANTS } from '#test/support/identity/identity-tenants.ts';
import { createHomeHref } from './sign-in-host.ts';

const homeHref = createHomeHref({ baseUrl: BASE_URL, tenants: TENANTS });
const homeOf = (tenant: string) => atTenant(tenant, async () => homeHref('en'));

test('home is the console, or the engine of the tenant by its host or its path', async () => {
  assert.equal(homeHref('en'), 'https://kedja.example.org/account');
  assert.equal(await homeOf('north'), 'https://north.example.org/engine/auth/login?lang=en');
  assert.equal(await homeOf('west'), 'https://kedja.example.org/engine/t/west/auth/login?lang=en');
  assert.equal(await homeOf('gone'), 'https://kedja.example.org/account');
});
