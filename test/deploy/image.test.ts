// The Containerfile and the bill of materials as far as they can be tried without a builder; and, where one answers and
// KEDJA_TEST_IMAGE is set, the image itself. KEDJA_TEST_IMAGE has the options of `npm run image`, or is `1`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { debianComponents, npmPackages } from '../../deploy/container/sbom.ts';
import { findBuilder } from '../../scripts/image/builder.ts';
import { faultsOf } from '../../scripts/image/containerfile.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const CONTAINERFILE = readFileSync(path.join(ROOT, 'deploy/container/Containerfile'), 'utf8');
const OPTIONS = process.env['KEDJA_TEST_IMAGE'];

test('the Containerfile has no fault', () => {
  assert.deepEqual(faultsOf(CONTAINERFILE), []);
});

const PLANTED: readonly (readonly [was: string | RegExp, is: string, fault: RegExp])[] = [
  ['USER 1000:1000', 'USER 0:0', /USER 0:0/],
  ['USER 1000:1000', 'USER node', /USER node/],
  ['USER 1000:1000\n', '', /^USER : /],
  ['CMD ["start"]', 'CMD start', /CMD is run by a shell/],
  ['ENTRYPOINT ["node", "/app/kedja.mjs"]', 'ENTRYPOINT node \\\n  /app/kedja.mjs', /ENTRYPOINT is run by a shell/],
  ['CMD ["node", "/app/deploy/container/healthcheck.mjs"]', 'CMD curl -f http://localhost:8080', /HEALTHCHECK is run/],
  [/^HEALTHCHECK.*\n/m, '', /no HEALTHCHECK/],
  ['STOPSIGNAL', 'RUN chmod 700 /var/lib/kedja\nSTOPSIGNAL', /RUN in the last stage needs a shell/],
  ['COPY . .', 'ADD https://example.org/x.tgz .', /^ADD/],
  ['debian:trixie-slim', 'debian', /has no tag/],
  ['debian:trixie-slim', 'debian:latest', /has no tag/],
  [/FROM \S+ AS build/, 'FROM node:26 AS build', /an ARG before the first stage/],
  ['KEDJA_HOST=0.0.0.0', 'KEDJA_ADMIN_PASSWORD=x', /keeps a secret/],
];

for (const [was, is, fault] of PLANTED) {
  test(`a Containerfile with ${JSON.stringify(is || `no ${was}`)} has a fault`, () => {
    const text = CONTAINERFILE.replace(was, () => is);
    assert.notEqual(text, CONTAINERFILE);
    const faults = faultsOf(text);
    assert.equal(faults.length, 1, faults.join('\n'));
    assert.match(faults[0] ?? '', fault);
  });
}

test('what would build and what would run must be two stages', () => {
  const text = 'FROM scratch\nUSER 1:1\nHEALTHCHECK CMD ["x"]\nENTRYPOINT ["x"]\n';
  assert.deepEqual(faultsOf(text), ['one stage alone: what builds the image would be in it']);
});

test('no builder takes what is in no commit: passwords, keys, data and what was built', () => {
  const lines = (file: string) =>
    readFileSync(path.join(ROOT, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  const kept = new Set(lines('.dockerignore'));
  // In .gitignore a name without a folder is meant at any depth.
  const needed = lines('.gitignore')
    .map((line) => line.replace(/\/$/, ''))
    .map((line) => (line.includes('/') ? line : `**/${line}`));
  for (const pattern of [...needed, '.git']) assert.ok(kept.has(pattern), `.dockerignore has no ${pattern}`);
  // BuildKit would take it in the place of .dockerignore, which podman and buildah read.
  assert.equal(existsSync(path.join(ROOT, 'deploy/container/Containerfile.dockerignore')), false);
});

test('the image has the Node.js of the tests', () => {
  const { devDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  assert.equal(/^ARG NODE_IMAGE=.*node:([\d.]+)-/m.exec(CONTAINERFILE)?.[1], devDependencies.node);
});

test('the image gets what Node.js needs beside the C and C++ libraries', { skip: missingLdd() }, () => {
  const needed = [...ldd(process.execPath).matchAll(/^\s*(lib[\w+-]+)\.so[\d.]* =>/gm)].map(([, name = '']) => name);
  assert.ok(needed.includes('libc'), needed.join());
  // Of packages that every image with C and C++ has, by Debian's names: libc6, libstdc++6, libgcc-s1.
  const usual = ['libc', 'libm', 'libdl', 'libpthread', 'librt', 'libstdc++', 'libgcc_s'];
  for (const name of needed.filter((library) => !usual.includes(library)))
    assert.ok(CONTAINERFILE.includes(`.*${name}.* =>`), `${name} is not copied`);
});

function ldd(file: string): string {
  return spawnSync('ldd', [file], { encoding: 'utf8' }).stdout ?? '';
}

function missingLdd(): string | false {
  return ldd(process.execPath) === '' && 'ldd does not answer here';
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-sbom-'));
  after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('the bill of materials has the Debian packages that are installed, from each form of their records', async () => {
  const root = await temporaryFolder();
  const folder = path.join(root, 'var/lib/dpkg');
  const record = (name: string, version: string, status: string) =>
    `Package: ${name}\n${status}Architecture: amd64\nVersion: ${version}\nDescription: x\n Version: 9\n`;
  await mkdir(path.join(folder, 'status.d'), { recursive: true });
  const status = [
    record('libc6', '2.41-12', 'Status: install ok installed\n'),
    record('gone', '1', 'Status: deinstall ok config-files\n'),
    record('never', '1', 'Status: unknown ok not-installed\n'),
  ];
  await writeFile(path.join(folder, 'status'), status.join('\n'));
  await writeFile(path.join(folder, 'status.d/zlib1g'), record('zlib1g', '1:1.3+x', ''));
  await writeFile(path.join(folder, 'status.d/zlib1g.md5sums'), 'Package: none\n');
  assert.deepEqual(
    debianComponents(root, 'debian-13').map(({ purl }) => purl),
    [
      'pkg:deb/debian/libc6@2.41-12?arch=amd64&distro=debian-13',
      'pkg:deb/debian/zlib1g@1%3A1.3%2Bx?arch=amd64&distro=debian-13',
    ],
  );
  assert.deepEqual(
    debianComponents(root, 'debian-13', ['zlib1g', 'gone']).map(({ name }) => name),
    ['zlib1g'],
  );
});

test('the bill of materials has the npm packages that are there, and what each depends on', async () => {
  const folder = await temporaryFolder();
  const packages = {
    console: { version: '1.0.0' },
    'node_modules/@kedja/console': { resolved: 'console', link: true },
    'node_modules/@scope/a': {
      version: '1.0.0',
      integrity: `sha512-${Buffer.from('digest').toString('base64')}`,
      license: '(MIT OR Apache-2.0)',
      dependencies: { b: '^2.0.0', c: '^1.0.0' },
    },
    'node_modules/@scope/a/node_modules/b': { version: '2.0.0', dependencies: { c: '1' }, license: 'SEE LICENSE IN X' },
    'node_modules/b': { version: '1.0.0' },
    'node_modules/c': { version: '1.0.0', optionalDependencies: { removed: '1' } },
    'node_modules/removed': { version: '1.0.0' },
  };
  for (const place of Object.keys(packages))
    if (!place.endsWith('removed')) await mkdir(path.join(folder, place), { recursive: true });
  await writeFile(path.join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  const { components, dependencies } = npmPackages(folder);
  assert.deepEqual(
    components.map(({ purl }) => purl),
    ['pkg:npm/%40scope/a@1.0.0', 'pkg:npm/b@2.0.0', 'pkg:npm/b@1.0.0', 'pkg:npm/c@1.0.0'],
  );
  assert.deepEqual(components[0]?.hashes, [{ alg: 'SHA-512', content: Buffer.from('digest').toString('hex') }]);
  assert.deepEqual(components[0]?.licenses, [{ expression: '(MIT OR Apache-2.0)' }]);
  assert.deepEqual(components[1]?.licenses, [{ license: { name: 'SEE LICENSE IN X' } }]);
  assert.deepEqual(dependencies, [
    { ref: 'node_modules/@scope/a', dependsOn: ['node_modules/@scope/a/node_modules/b', 'node_modules/c'] },
    { ref: 'node_modules/@scope/a/node_modules/b', dependsOn: ['node_modules/c'] },
    { ref: 'node_modules/b', dependsOn: [] },
    { ref: 'node_modules/c', dependsOn: [] },
  ]);
});

const skip =
  OPTIONS === undefined || OPTIONS === ''
    ? 'KEDJA_TEST_IMAGE is not set'
    : (await findBuilder()) === undefined && 'no builder answers here';

test('the image is built, and does what it must', { skip }, async () => {
  const bill = path.join(await temporaryFolder(), 'kedja.cdx.json');
  const options = OPTIONS === '1' ? [] : (OPTIONS ?? '').split(/\s+/);
  const args = ['scripts/image/main.ts', '--tag', 'localhost/kedja-test', ...options, '--sbom', bill];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /SIGTERM ended it with exit code 0/);
  assert.equal(JSON.parse(readFileSync(bill, 'utf8')).bomFormat, 'CycloneDX');
});
