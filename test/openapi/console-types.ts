// The types of the console's API calls are those of the service's document (console/build/api-types.ts). Written with
// the examples by KEDJA_WRITE_EXAMPLES=1.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { env } from 'node:process';
import { test } from 'node:test';
import { apiTypes, type DescribedService } from '../../console/build/api-types.ts';

const FOLDER = path.join(import.meta.dirname, '../../console/src/api/generated');

export async function holdConsoleTypes(service: DescribedService, document: unknown): Promise<void> {
  const file = path.join(FOLDER, `${service}.ts`);
  const types = await apiTypes(service, document);
  if (env['KEDJA_WRITE_EXAMPLES'] === '1') await writeFile(file, types);
  test(`the console's types of ${service} are those of its document`, async () => {
    assert.equal(
      await readFile(file, 'utf8').catch(() => ''),
      types,
      'KEDJA_WRITE_EXAMPLES=1 npm test -- test/openapi/',
    );
  });
}
