// The reference page names every address, and nothing that is not there.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity.ts';

const OF_EVERY_SERVICE = ['/livez', '/readyz', '/metrics'];
const { app } = await startIdentity({ after });

test('docs/reference/identity.md lists exactly the addresses of the service', async () => {
  const page = await readFile(new URL('../../docs/reference/identity.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| `([A-Z]+ \S+)` \|/gm)].map(([, address]) => address);
  const openapi: { paths: Record<string, object> } = (await app.inject('/openapi.json')).json();
  const served = Object.entries(openapi.paths)
    .filter(([path]) => !OF_EVERY_SERVICE.includes(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
  // The page is no part of the API, and so not of its description.
  assert.deepEqual([...listed].sort(), [...served, 'GET /login'].sort());
});
