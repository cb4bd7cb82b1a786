// The layering gate is red for a planted violation of each rule, and for a tool that sees nothing (issue: done when 5).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { checkLayering } from '../../scripts/gates/layering.ts';
import { cruiseOptions, layeringRules } from '../../scripts/gates/layering-rules.ts';

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'kedja-layering-'));
after(() => rmSync(folder, { recursive: true }));

type Tree = Readonly<Record<string, string>>;

/** A small repository that keeps every rule. */
const HOUSE: Tree = {
  'main.ts': "import { plugin } from './services/a/plugin.ts';\nexport const main = plugin;",
  'runtime/modules.ts': "import { plugin } from '../services/a/plugin.ts';\nexport const modules = plugin;",
  'lib/text.ts': "import { join } from 'node:path';\nexport const text = join;",
  'fhir/patient.ts': "import { text } from '#lib/text.ts';\nexport const patient = text;",
  'lib/db/pool.ts': "import pg from 'pg';\nexport const pool = pg;",
  'lib/text.test.ts':
    "import { support } from '#test/support/help.ts';\nimport { text } from './text.ts';\nexport default [support, text];",
  'clients/a.ts': "import { text } from '#lib/text.ts';\nexport const client = text;",
  'gateway/start.ts': "import { text } from '#lib/text.ts';\nexport const start = text;",
  'demo/load.ts': "import { start } from '../gateway/start.ts';\nexport const load = start;",
  'services/a/plugin.ts':
    "import { routes } from './one/routes.ts';\nimport { list } from './two/routes.ts';\nexport const plugin = [routes, list];",
  'services/a/one/routes.ts':
    "import type { Service } from './service.ts';\nexport const routes = (service: Service) => service;",
  'services/a/one/service.ts': "import { store } from './store.ts';\nexport type Service = typeof store;",
  'services/a/one/store.ts': "import { text } from '#lib/text.ts';\nexport const store = text;",
  'services/a/one/lifecycle.ts': 'export type State = 1;',
  'services/a/two/lifecycle.ts': "import type { State } from '../one/lifecycle.ts';\nexport type Other = State;",
  'services/a/two/routes.ts': 'export const list = 1;',
  'services/a/two/service.ts': "import type { Service } from '../one/service.ts';\nexport type Two = Service;",
  'services/a/two/dead-letter-store.ts': 'export const letters = 1;',
  'services/b/plugin.ts': "import { client } from '#clients/a.ts';\nexport const plugin = client;",
  'services/a/testing/start.ts': "import { support } from '#test/support/help.ts';\nexport const start = support;",
  'services/a/one/routes.test.ts': "import { start } from '../testing/start.ts';\nexport default start;",
  'scripts/make.ts': "import { cruise } from 'dependency-cruiser';\nexport const make = cruise;",
  'test/support/help.ts': "import { main } from '../../main.ts';\nexport const support = main;",
  'test/end-to-end/workflow.test.ts': "import { support } from '#test/support/help.ts';\nexport default support;",
};

/** What breaks each rule: files that are added to the repository, or that replace one of it. */
const VIOLATIONS: Readonly<Record<string, readonly Tree[]>> = {
  'lib-stands-alone': [
    { 'lib/x.ts': "import { patient } from '#fhir/patient.ts';\nexport const x = patient;" },
    { 'lib/x.ts': "import type { Two } from '#services/a/two/service.ts';\nexport type X = Two;" },
    { 'lib/x.ts': "import { client } from '#clients/a.ts';\nexport const x = client;" },
    {
      'lib/x.ts': "import { main } from '../config.ts';\nexport const x = main;",
      'config.ts': 'export const main = 1;',
    },
  ],
  'fhir-builds-on-lib': [
    { 'fhir/x.ts': "import { client } from '#clients/a.ts';\nexport const x = client;" },
    { 'fhir/x.ts': "import type { Two } from '#services/a/two/service.ts';\nexport type X = Two;" },
  ],
  'clients-build-on-lib': [
    { 'clients/x.ts': "import { modules } from '../runtime/modules.ts';\nexport const x = modules;" },
    { 'clients/x.ts': "import { letters } from '#services/a/two/dead-letter-store.ts';\nexport const x = letters;" },
  ],
  'gateway-builds-on-lib': [{ 'gateway/x.ts': "import { client } from '#clients/a.ts';\nexport const x = client;" }],
  'demo-comes-from-outside': [
    { 'demo/x.ts': "import { client } from '#clients/a.ts';\nexport const x = client;" },
    { 'demo/x.ts': "import type { Two } from '#services/a/two/service.ts';\nexport type X = Two;" },
  ],
  'services-build-on-lib-and-clients': [
    { 'services/b/x.ts': "import { start } from '../../gateway/start.ts';\nexport const x = start;" },
    {
      'services/b/x.ts': "import { value } from '../../config.ts';\nexport const x = value;",
      'config.ts': 'export const value = 1;',
    },
  ],
  'services-stay-apart': [
    { 'services/b/x.ts': "import type { Service } from '#services/a/one/service.ts';\nexport type X = Service;" },
    { 'services/b/x.ts': "export const x = () => import('#services/a/one/service.ts');" },
  ],
  'routes-ask-the-service': [
    { 'services/a/one/routes.ts': "import { store } from './store.ts';\nexport const routes = store;" },
    { 'services/a/two/routes.ts': "import { letters } from './dead-letter-store.ts';\nexport const list = letters;" },
  ],
  'service-knows-no-http': [
    { 'services/a/two/service.ts': "import { list } from './routes.ts';\nexport const two = list;" },
    {
      'services/a/two/service.ts': "import type { FastifyRequest } from 'fastify';\nexport type Two = FastifyRequest;",
    },
  ],
  'store-is-sql-only': [
    { 'services/a/two/dead-letter-store.ts': "import type { Two } from './service.ts';\nexport type X = Two;" },
    { 'services/a/one/store.ts': "import { list } from '../two/routes.ts';\nexport const store = list;" },
  ],
  'features-meet-at-the-service': [
    { 'services/a/two/service.ts': "import { store } from '../one/store.ts';\nexport const two = store;" },
    { 'services/a/two/schema.ts': "import { routes } from '../one/routes.ts';\nexport const shape = routes;" },
  ],
  'shared-knows-no-feature': [
    { 'services/a/shared/x.ts': "import { store } from '../one/store.ts';\nexport const x = store;" },
    { 'services/a/shared/y.ts': "import type { Service } from '../one/service.ts';\nexport type Y = Service;" },
  ],
  'lifecycle-is-data': [
    { 'services/a/two/lifecycle.ts': "import type { Two } from './service.ts';\nexport type X = Two;" },
    { 'services/a/two/lifecycle.ts': "import { letters } from './dead-letter-store.ts';\nexport const x = letters;" },
  ],
  'features-know-no-plugin': [
    { 'services/a/three/x.ts': "import { plugin } from '../plugin.ts';\nexport const x = plugin;" },
  ],
  'driver-stays-in-lib-db': [
    { 'services/a/one/store.ts': "import pg from 'pg';\nexport const store = pg;" },
    { 'lib/x.ts': "import pg from 'pg';\nexport const x = pg;" },
  ],
  'console-runs-in-the-browser': [
    { 'console/src/x.ts': "import { text } from '../../lib/text.ts';\nexport const x = text;" },
    { 'console/src/x.tsx': "import { text } from '../../lib/text.ts';\nexport const x = <b>{text}</b>;" },
  ],
  'nobody-imports-the-console': [
    {
      'console/src/y.ts': 'export const y = 1;',
      'runtime/x.ts': "import { y } from '../console/src/y.ts';\nexport const x = y;",
    },
  ],
  'the-start-builds-the-console': [
    {
      'console/build/y.ts': 'export const y = 1;',
      'cli/x.ts': "import { y } from '../console/build/y.ts';\nexport const x = y;",
    },
  ],
  'nobody-imports-scripts': [
    { 'services/b/x.ts': "import { make } from '../../scripts/make.ts';\nexport const x = make;" },
  ],
  'tests-stay-out': [
    { 'gateway/x.ts': "import { support } from '#test/support/help.ts';\nexport const x = support;" },
    { 'services/a/one/x.ts': "import { start } from '../testing/start.ts';\nexport const x = start;" },
  ],
  'tests-import-no-tests': [
    { 'test/x.test.ts': "import workflow from './end-to-end/workflow.test.ts';\nexport default workflow;" },
  ],
  'production-packages': [{ 'lib/x.ts': "import { assert } from 'fast-check';\nexport const x = assert;" }],
  'declared-packages': [{ 'lib/x.ts': "import { parse } from 'acorn';\nexport const x = parse;" }],
  resolvable: [
    { 'lib/x.ts': "import { x } from './nowhere.ts';\nexport const y = x;" },
    { 'lib/x.ts': "import { x } from '#lib/nowhere.ts';\nexport const y = x;" },
  ],
  'no-cycles': [
    {
      'lib/x.ts': "import { y } from './y.ts';\nexport const x = y;",
      'lib/y.ts': "import type { x } from './x.ts';\nexport let y: typeof x;",
    },
  ],
};

let planted = 0;

/** Lays the files out as a repository of their own, with this one's package.json and packages. */
function plant(files: Tree): string {
  const root = join(folder, String(++planted));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  }
  cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return root;
}

test('a repository that keeps the rules is green', async () => {
  const result = await checkLayering(plant(HOUSE));
  assert.deepEqual(result.issues, []);
  assert.ok(result.modules >= Object.keys(HOUSE).length);
});

for (const rule of layeringRules) {
  test(`red: ${rule.name}`, async () => {
    const trees = VIOLATIONS[rule.name ?? ''] ?? [];
    assert.ok(trees.length > 0, 'no violation is planted for this rule');
    for (const tree of trees) {
      const { issues } = await checkLayering(plant({ ...HOUSE, ...tree }));
      const culprits = Object.keys(tree).map((path) => `${rule.name}: ${path} → `);
      assert.ok(
        issues.some((issue) => culprits.some((culprit) => issue.startsWith(culprit))),
        issues.join('\n') || 'no error found',
      );
    }
  });
}

test('the command of the gate ends with 0 for a green tree and with 1 and the rule for a red one', () => {
  const gate = join(ROOT, 'scripts/gates/layering.ts');
  const run = (cwd: string) => spawnSync(process.execPath, [gate], { cwd, encoding: 'utf8' });
  const green = run(plant(HOUSE));
  assert.equal(green.status, 0, green.stderr);
  assert.match(green.stdout, /^\d\d+ modules and \d\d+ dependencies seen, 0 errors$/m);
  const red = run(plant({ ...HOUSE, 'lib/x.ts': "import { client } from '#clients/a.ts';\nexport const x = client;" }));
  assert.equal(red.status, 1);
  assert.match(
    red.stderr,
    /^lib-stands-alone: lib\/x\.ts → clients\/a\.ts\. lib\/ imports only lib\/ and packages\.$/m,
  );
});

test('red: a tree without sources', async () => {
  const { issues } = await checkLayering(plant({ 'README.md': 'nothing here' }));
  assert.match(issues.join(), /no source file found/);
});

test('red: a tool that parses no TypeScript', async () => {
  const blind = { ...cruiseOptions, extraExtensionsToScan: ['.ts'] };
  const { issues } = await checkLayering(plant(HOUSE), blind);
  assert.match(issues.join('\n'), /^blind: the import of \.\/services\/a\/plugin\.ts in main\.ts was not seen$/m);
});

test('red: imports that the tool leaves out', async () => {
  const halfBlind = { ...cruiseOptions, exclude: { path: '^lib/' } };
  const { issues } = await checkLayering(plant(HOUSE), halfBlind);
  assert.match(issues.join('\n'), /^blind: the import of #lib\/text\.ts in clients\/a\.ts was not seen$/m);
  assert.match(issues.join('\n'), /^blind: lib\/text\.ts was not seen$/m);
});
