// Runs the examples of the engine's FHIR reference pages against one engine over HTTP, as a professional in the phase
// planning. It takes every page in the folders, and those beside them that have examples with answers.
import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { ERROR_CODES } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { PATIENT, startTestEngine, type TestEngine } from '#test/support/engine/engine.ts';
import { eventually } from '#test/support/http.ts';
import { testReferencePage } from './page.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const FOLDER = 'docs/reference/engine';

const pages = ['access.md', 'api-keys.md', 'errors.md', 'library.md', 'users.md', 'validation.md'];
for await (const page of glob('{interactions,operations,search}/*.md', { cwd: path.join(ROOT, FOLDER) }))
  pages.push(page);
// The pages about search share the records that their first one stores.
pages.sort((a, b) => Number(b.endsWith('README.md')) - Number(a.endsWith('README.md')) || (a < b ? -1 : 1));

test('the examples of the FHIR pages answer what the pages show', async (t) => {
  const { app, call, engine } = await startTestEngine(t);
  const ENGINE = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  await engine.start();
  for (const page of pages) {
    const patient = page.startsWith('search/') ? PATIENT : newGuid();
    const body = { resourceType: 'Patient', id: patient, active: true };
    if (patient !== PATIENT) assert.equal((await call('planner', 'PUT', `/Patient/${patient}`, body)).status, 201);
    if (page === 'access.md') {
      const query = `/AuditEvent?patient=Patient/${patient}`;
      await eventually(
        'the event arrived',
        async () => (await call('admin', 'GET', query)).body.total > 0 || undefined,
      );
    }
    await testReferencePage(t, {
      page: `${FOLDER}/${page}`,
      variables: { ENGINE: () => whenIndexed(call, ENGINE), TOKEN: 'planner', ADMIN_TOKEN: 'admin', PATIENT: patient },
    });
  }
});

/** What a page defines to search by is searched by when it is indexed. */
async function whenIndexed(call: TestEngine['call'], address: string): Promise<string> {
  return eventually('the search parameter was indexed', async () => {
    const { text } = await call('planner', 'GET', '/SearchParameter/nickname/$status');
    return text.includes('"indexing"') ? undefined : address;
  });
}

test('the page about errors names every code, with its status', async () => {
  const page = await readFile(path.join(ROOT, FOLDER, 'errors.md'), 'utf8');
  const documented = [...page.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, code, status]) => `${code} ${status}`);
  const known = Object.entries(ERROR_CODES).map(([code, { status }]) => `${code} ${status}`);
  assert.deepEqual(documented.toSorted(), known.toSorted());
});
