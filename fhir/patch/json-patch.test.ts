// JSON Patch: the cases of RFC 6902, appendix A, and each error.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#lib/errors.ts';
import { parseExactJson } from '../json/exact-json.ts';
import { applyJsonPatch, readJsonPatch, readJsonPatchText } from './json-patch.ts';
import { isJsonObject } from './json-tree.ts';

function apply(document: string, patch: unknown): string {
  const parsed = parseExactJson(document);
  assert.ok(isJsonObject(parsed));
  const before = JSON.stringify(parsed);
  const result = applyJsonPatch(parsed, readJsonPatch(patch));
  assert.equal(JSON.stringify(parsed), before, 'the original stays');
  return JSON.stringify(result);
}

const CASES: readonly (readonly [what: string, document: string, patch: object[], result: string])[] = [
  ['A.1 a member', '{"foo":"bar"}', [{ op: 'add', path: '/baz', value: 'qux' }], '{"foo":"bar","baz":"qux"}'],
  [
    'A.2 an element',
    '{"foo":["bar","baz"]}',
    [{ op: 'add', path: '/foo/1', value: 'qux' }],
    '{"foo":["bar","qux","baz"]}',
  ],
  ['A.3 remove a member', '{"baz":"qux","foo":"bar"}', [{ op: 'remove', path: '/baz' }], '{"foo":"bar"}'],
  ['A.4 remove an element', '{"foo":["bar","qux","baz"]}', [{ op: 'remove', path: '/foo/1' }], '{"foo":["bar","baz"]}'],
  [
    'A.5 replace',
    '{"baz":"qux","foo":"bar"}',
    [{ op: 'replace', path: '/baz', value: 'boo' }],
    '{"baz":"boo","foo":"bar"}',
  ],
  [
    'A.6 move',
    '{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}',
    [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
    '{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}',
  ],
  [
    'A.7 move an element',
    '{"foo":["all","grass","cows","eat"]}',
    [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
    '{"foo":["all","cows","eat","grass"]}',
  ],
  [
    'A.8 test',
    '{"baz":"qux","foo":["a",2,"c"]}',
    [
      { op: 'test', path: '/baz', value: 'qux' },
      { op: 'test', path: '/foo/1', value: 2 },
    ],
    '{"baz":"qux","foo":["a",2,"c"]}',
  ],
  [
    'A.10 nested',
    '{"foo":"bar"}',
    [{ op: 'add', path: '/child', value: { grandchild: {} } }],
    '{"foo":"bar","child":{"grandchild":{}}}',
  ],
  [
    'A.11 unknown members',
    '{"foo":"bar"}',
    [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
    '{"foo":"bar","baz":"qux"}',
  ],
  ['A.14 escapes', '{"/":9,"~1":10}', [{ op: 'test', path: '/~01', value: 10 }], '{"/":9,"~1":10}'],
  [
    'A.16 an array at the end',
    '{"foo":["bar"]}',
    [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
    '{"foo":["bar",["abc","def"]]}',
  ],
  [
    'copy',
    '{"a":{"b":1.0}}',
    [
      { op: 'copy', from: '/a', path: '/c' },
      { op: 'add', path: '/c/d', value: 1 },
    ],
    '{"a":{"b":1.0},"c":{"b":1.0,"d":1}}',
  ],
  ['replace an element', '{"a":[1,2]}', [{ op: 'replace', path: '/a/0', value: 3 }], '{"a":[3,2]}'],
  ['the whole', '{"a":1}', [{ op: 'add', path: '', value: { b: 2 } }], '{"b":2}'],
  ['numbers are equal by value', '{"a":1.50}', [{ op: 'test', path: '/a', value: 1.5 }], '{"a":1.50}'],
  [
    'objects are equal in any order',
    '{"a":{"b":[1],"c":null}}',
    [{ op: 'test', path: '/a', value: { c: null, b: [1] } }],
    '{"a":{"b":[1],"c":null}}',
  ],
];

for (const [what, document, patch, result] of CASES) {
  test(what, () => assert.equal(apply(document, patch), result));
}

const REFUSED: readonly (readonly [what: string, document: string, patch: object[]])[] = [
  ['A.9 a failed test', '{"baz":"qux"}', [{ op: 'test', path: '/baz', value: 'bar' }]],
  ['A.12 a target that is not there', '{"foo":"bar"}', [{ op: 'add', path: '/baz/bat', value: 'qux' }]],
  ['A.15 a string is no number', '{"/":9,"~1":10}', [{ op: 'test', path: '/~01', value: '10' }]],
  ['remove what is not there', '{"a":[]}', [{ op: 'remove', path: '/a/0' }]],
  ['replace what is not there', '{}', [{ op: 'replace', path: '/a', value: 1 }]],
  ['an index beyond the end', '{"a":[1]}', [{ op: 'add', path: '/a/2', value: 1 }]],
  ['an index with a leading zero', '{"a":[1,2]}', [{ op: 'remove', path: '/a/01' }]],
  ['no resource is left', '{"a":1}', [{ op: 'add', path: '', value: [] }]],
  ['move from nowhere', '{}', [{ op: 'move', from: '/a', path: '/b' }]],
  ['a member of a text', '{"a":"text"}', [{ op: 'test', path: '/a/length', value: 4 }]],
  ['an inherited member', '{}', [{ op: 'test', path: '/constructor', value: {} }]],
];

for (const [what, document, patch] of REFUSED) {
  test(`refused: ${what}`, () => {
    assert.throws(
      () => apply(document, patch),
      (error) => error instanceof ServiceError && error.code === 'unprocessable',
    );
  });
}

test('every invalid operation is named', () => {
  const patch = [
    { op: 'add', path: '/a' },
    { op: 'remove', path: 'a' },
    { op: 'move', path: '/a', from: '~2' },
    { op: 'move', from: '/a', path: '/a/b' },
    { op: 'add', path: '/__proto__/x', value: 1 },
    { path: '/a' },
    7,
    { op: 'remove', path: '/fine' },
  ];
  assert.throws(
    () => readJsonPatch(patch),
    (error) => error instanceof ServiceError && error.code === 'invalid_request' && error.issues.length === 7,
  );
  assert.throws(
    () => readJsonPatch(Array.from({ length: 1001 }, () => ({ op: 'remove', path: '/a' }))),
    /at most 1000/,
  );
});

test('copies of copies end before they fill the memory', () => {
  const patch = Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '', path: `/a${index}` }));
  assert.throws(
    () => applyJsonPatch({ resourceType: 'Patient' }, readJsonPatch(patch)),
    /copies more than \d+ characters/,
  );
});

test('the nesting of a patch and of its result is limited', () => {
  for (const depth of [300, 100_000]) {
    const text = `[{"op":"add","path":"/a","value":${'['.repeat(depth)}${']'.repeat(depth)}}]`;
    assert.throws(() => readJsonPatchText(text), /deeper than 256 levels/);
  }
  const deeper = Array.from({ length: 9 }, (_, round) => ({
    op: 'copy',
    from: '/a',
    path: `/a${'/a'.repeat(2 ** round)}`,
  }));
  assert.throws(
    () => applyJsonPatch({ a: { a: {} } }, readJsonPatch(deeper)),
    /Operation \d \(copy\): .*deeper than 256 levels/,
  );
});

test('a moved value keeps all its content', () => {
  const moved = applyJsonPatch({ a: { b: [1, 2] } }, readJsonPatch([{ op: 'move', from: '/a/b', path: '/c' }]));
  assert.deepEqual(moved, { a: {}, c: [1, 2] });
});
