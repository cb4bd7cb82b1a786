// The lock-file gate is red for every kind of lock file that `npm ci` refuses in a fresh clone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LockFile, lockFileIssues } from '../../scripts/gates/lock-file.ts';

const MANIFEST = { dependencies: { a: '1.0.0' }, devDependencies: { b: '2.0.0' } };
const PACKAGES: LockFile['packages'] = {
  '': MANIFEST,
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a', optionalDependencies: { 'a-linux': '1.0.0' } },
  'node_modules/a-linux': { version: '1.0.0', integrity: 'sha512-c' },
  'node_modules/b': { version: '2.0.0', integrity: 'sha512-b' },
  'node_modules/b/node_modules/a': {
    version: '0.9.0',
    integrity: 'sha512-d',
    optionalDependencies: { 'a-linux': '0.9.0' },
  },
};

function issuesWith(packages: LockFile['packages'], manifest = MANIFEST): string {
  return lockFileIssues(manifest, { packages: { ...PACKAGES, ...packages } }).join('\n');
}

test('a whole lock file is green, with packages found above the one that needs them', () => {
  assert.equal(issuesWith({}), '');
  assert.equal(issuesWith({ 'node_modules/b/node_modules/a/node_modules/a-linux': { integrity: 'sha512-e' } }), '');
  assert.equal(issuesWith({ 'node_modules/console': { link: true, resolved: 'console' } }), '');
});

test('red: a platform package is missing', () => {
  const { 'node_modules/a-linux': _left, ...rest } = PACKAGES;
  const issues = lockFileIssues(MANIFEST, { packages: rest });
  assert.equal(issues.length, 2);
  assert.match(issues[0] ?? '', /^node_modules\/a needs a-linux, which the lock file lacks/);
});

test('red: other dependencies than package.json', () => {
  assert.match(issuesWith({}, { ...MANIFEST, dependencies: { a: '1.0.1' } }), /^the dependencies of package\.json/);
  assert.match(
    issuesWith({}, { ...MANIFEST, devDependencies: { b: '2.0.0', c: '1.0.0' } } as typeof MANIFEST),
    /^the devDependencies/,
  );
});

test('red: other dependencies than those of a workspace', () => {
  const workspaces = { console: { dependencies: { c: '1.0.0' } } };
  const locked = { ...PACKAGES, console: { dependencies: { c: '2.0.0' } } };
  const issues = lockFileIssues(MANIFEST, { packages: locked }, workspaces);
  assert.match(issues.join(), /^the dependencies of console\/package\.json are not those of the lock file/);
  const same = { ...PACKAGES, console: workspaces.console };
  assert.deepEqual(lockFileIssues(MANIFEST, { packages: same }, workspaces), []);
});

test('red: no integrity, or bound to one registry', () => {
  assert.match(issuesWith({ 'node_modules/b': { version: '2.0.0' } }), /^node_modules\/b has no integrity$/);
  const resolved = 'https://registry.example.org/b-2.0.0.tgz';
  assert.match(
    issuesWith({ 'node_modules/b': { integrity: 'sha512-b', resolved } }),
    /names where it was fetched from/,
  );
});
