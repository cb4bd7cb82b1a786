import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordFaults } from './password-policy.ts';

test('passwords have from 8 to 256 characters, counted as people do', () => {
  assert.deepEqual(passwordFaults('kort7!å'), ['must have at least 8 characters']);
  assert.deepEqual(passwordFaults('🙂🙃🙂🙃'), ['must have at least 8 characters']);
  assert.deepEqual(passwordFaults('🦊 rävar i snö 🦊'.repeat(20)), ['must have at most 256 characters']);
  assert.deepEqual(passwordFaults('åtta-tecken'), []);
  assert.deepEqual(passwordFaults(`${'grön häst '.repeat(25)}slut!!`), []);
});

test('common passwords are refused in their usual disguises', () => {
  const common = ['password', 'Password123!', 'P@ssw0rd2024', '!!password!!', 'qwertyuiop', 'Sommar2024', 'välkommen1'];
  const patterns = [
    '12345678',
    '123456789',
    '98765432',
    '19800101',
    'aaaaaaaa',
    'abcabcabc',
    'abcdefgh',
    'admin1234',
    '!!!!!!!!',
  ];
  for (const password of [...common, ...patterns]) {
    assert.deepEqual(passwordFaults(password), ['must not be one of the common passwords'], password);
  }
});

test('a password is judged in the form that is hashed', () => {
  for (const wide of ['ｐａｓｓｗｏｒｄ１２', '１２３４５６７８']) {
    assert.deepEqual(passwordFaults(wide), ['must not be one of the common passwords'], wide);
  }
  assert.deepEqual(passwordFaults('ö'.normalize('NFD').repeat(4)), ['must have at least 8 characters']);
  assert.deepEqual(passwordFaults('grön häst'.normalize('NFD')), []);
});

test('uncommon ones pass', () => {
  for (const password of [
    'correct horse battery',
    'admin-of-kedja-7',
    'k3dja-h0st-regn',
    'Tr4nan flyger',
    '739105628401',
  ]) {
    assert.deepEqual(passwordFaults(password), [], password);
  }
});
