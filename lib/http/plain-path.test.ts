import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainPath, pathOfUrl, requirePlainPath } from './plain-path.ts';

test('a path is plain when every parser reads it alike', () => {
  for (const path of [
    '',
    '/',
    '/a',
    '/a/',
    '/a.b/..c/c../.d/...',
    '/a%2Fb',
    '/%2e%2e%2e',
    '/$op',
    '/a%3Fb%23c',
    '/å',
  ]) {
    assert.ok(isPlainPath(path), path);
  }
  for (const path of [
    '/..',
    '/../a',
    '/a/..',
    '/a/./b',
    '/%2e%2E/a',
    '/.%2e',
    '/%2E',
    '//a',
    '/a//b',
    '/a\\b',
    '/a#b',
    '/\n',
    '..',
  ]) {
    assert.ok(!isPlainPath(path), path);
  }
});

test('only the path of a URL is checked, and a fragment is refused', () => {
  assert.equal(pathOfUrl('/a/b?next=/../c'), '/a/b');
  requirePlainPath('/a/b?next=/../c//d');
  for (const url of ['/a/..?x', '/a#b', '/a?b#c']) {
    assert.throws(() => requirePlainPath(url), { code: 'not_found' }, url);
  }
});
