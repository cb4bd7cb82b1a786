// The reference pages list exactly the endpoints that exist, each with an example (run by test/reference).
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { readAddressTable, readExamples, withoutNames } from '#test/reference/examples.ts';
import { startIdentity } from '#test/support/identity/identity.ts';

/** Paths that are not part of the API, and so not in its description. */
const PAGES = [
  ...['GET /login', 'GET /register', 'GET /access-request', 'GET /change-password', 'GET /recovery-codes'],
  ...['GET /forgot-password', 'GET /reset-password', 'GET /session', 'GET /sign-out/done'],
  ...[
    'GET /account',
    'GET /account/second-factor',
    'GET /account/second-factor/replace',
    'GET /proxies',
    'GET /guardians',
  ],
];
const FILES = [
  'identity.md',
  'identity-people.md',
  'proxies.md',
  'identity-fhir.md',
  'clients.md',
  'account-recovery.md',
];
const OF_EVERY_SERVICE = ['/livez', '/readyz', '/metrics'];
const { app } = await startIdentity({ after });
const read = (name: string) => readFile(new URL(`../../docs/reference/${name}`, import.meta.url), 'utf8');
const page = (await Promise.all(FILES.map(read))).join('\n');

test('docs/reference/identity.md and the pages beside it list exactly the addresses of the service', async () => {
  const openapi: { paths: Record<string, object> } = (await app.inject('/openapi.json')).json();
  const served = Object.entries(openapi.paths)
    .filter(([path]) => !OF_EVERY_SERVICE.includes(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
  assert.deepEqual(readAddressTable(page).sort(), [...served, ...PAGES].sort());
});

test('docs/reference/identity.md and the pages beside it have an example of every address', () => {
  const shown = new Set(readExamples(page).map(({ address }) => address));
  assert.deepEqual(
    readAddressTable(page).filter((address) => !shown.has(withoutNames(address))),
    [],
  );
});
