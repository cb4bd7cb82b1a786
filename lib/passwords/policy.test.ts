import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packFingerprints, readFingerprints } from './fingerprints.ts';
import type { PasswordOwner } from './personal.ts';
import { passwordFieldIssues, passwordIssues } from './policy.ts';

const ADVICE = 'several words that do not belong together make a good one';
const COMMON = [`must not be one of the common passwords, nor one with digits or signs around it: ${ADVICE}`];
const PATTERN = [`must not be a plain sequence or repetition: ${ADVICE}`];
const PERSONAL = [
  `must not be made of a name, address or number of the account, its organisation or this service: ${ADVICE}`,
];

test('passwords have from 8 to 256 characters, counted as people do', () => {
  assert.deepEqual(passwordIssues('kort7!å'), ['must have at least 8 characters']);
  assert.deepEqual(passwordIssues('🙂🙃🙂🙃'), ['must have at least 8 characters']);
  assert.deepEqual(passwordIssues('🦊 rävar i snö 🦊'.repeat(20)), ['must have at most 256 characters']);
  assert.deepEqual(passwordIssues('åtta-tecken'), []);
  assert.deepEqual(passwordIssues(`slut ${'grön häst '.repeat(24)}slut!!`), []);
});

test('a configured minimum length is enforced', () => {
  assert.deepEqual(passwordIssues('skogens stigar', { minLength: 15 }), ['must have at least 15 characters']);
  assert.deepEqual(passwordIssues('skogens stigar!', { minLength: 15 }), []);
});

test('common passwords are refused in their usual disguises', () => {
  for (const password of ['password', 'Password123!', 'P@ssw0rd2024', '!!password!!', 'Sommar2024', 'välkommen1']) {
    assert.deepEqual(passwordIssues(password), COMMON, password);
  }
  for (const password of ['password123456789', 'passwordpassword', 'p a s s w o r d', 'pass-word', '$ommar2024']) {
    assert.deepEqual(passwordIssues(password), COMMON, password);
  }
  for (const digits of ['19800101', '070-123 45 67', '198001011234']) {
    assert.deepEqual(passwordIssues(digits), COMMON, digits);
  }
});

test('sequences and repetitions are refused', () => {
  for (const password of [
    '12345678',
    '98765432',
    'abcdefgh',
    'hgfedcba',
    'qwertyuiop',
    'poiuytrewq',
    'aaaaaaaa',
    'abcabcabc',
    'xk7xk7xk7xk7',
    '!!!!!!!!',
    'aaabbbccc',
    'abc123def456',
    '1qaz2wsx3edc',
    'asdfghjklöä',
    'lkjhgfdsa1',
  ]) {
    assert.deepEqual(passwordIssues(password), PATTERN, password);
  }
});

test('a password is checked in the form that is hashed', () => {
  assert.deepEqual(passwordIssues('ｐａｓｓｗｏｒｄ１２'), COMMON);
  assert.deepEqual(passwordIssues('１２３４５６７８'), PATTERN);
  assert.deepEqual(passwordIssues('ö'.normalize('NFD').repeat(4)), ['must have at least 8 characters']);
  assert.deepEqual(passwordIssues('grön häst'.normalize('NFD')), []);
});

test('uncommon ones pass', () => {
  for (const password of [
    'correct horse battery',
    'admin-of-kedja-7',
    'k3dja-h0st-regn',
    'Tr4nan flyger',
    '739105628401',
    'vW9#qLz2',
    'x7Kp2mQ9',
    '雨の日は家で本を読む',
    'кошка любит молоко',
  ]) {
    assert.deepEqual(passwordIssues(password), [], password);
  }
});

const OWNER: PasswordOwner = {
  email: 'Anna-Karin.Bergqvist@lasarettet.example.org',
  names: ['Anna-Karin', 'Bergqvist', null],
  personnummer: '198507099805',
  organisations: ['Ängens vårdcentral AB'],
  siteUrl: 'https://plan.regionnorr.example.org/',
};

test('a password of the data of its owner and the name of the service is refused', () => {
  for (const password of [
    'anna-karin.bergqvist@lasarettet.example.org',
    'ANNA-KARIN.BERGQVIST',
    'annakarin1985',
    'Bergqvist!2024',
    'b3rgqv1st!',
    'Anna.Bergqvist',
    'lasarettet1',
    'lasarettet.example.org',
    '198507099805',
    '850709-9805',
    'anna850709',
    'karin9805!!',
    'ängensvårdcentral',
    'Angens-vardcentral1',
    'regionnorr24',
    'kedja2024',
    'Kedja-123!',
    'bergqvist-sommar',
  ]) {
    assert.deepEqual(passwordIssues(password, { owner: OWNER }), PERSONAL, password);
  }
});

test('a good password may hold a name that is known', () => {
  for (const password of ['bergqvist rider en grön tram', 'kedja av små regndroppar', 'Hannas kattungar är fyra']) {
    assert.deepEqual(passwordIssues(password, { owner: OWNER }), [], password);
  }
  assert.deepEqual(passwordIssues('bergqvist-tak', { owner: {} }), []);
});

test('an error of a field says the same to programs and, in their language, to readers of a page', () => {
  const [issue, ...others] = passwordFieldIssues('new_password', 'kort', { minLength: 15 });
  assert.deepEqual(others, []);
  assert.deepEqual(issue, {
    field: 'new_password',
    message: "'new_password' must have at least 15 characters",
    texts: {
      sv: 'Lösenordet måste ha minst 15 tecken.',
      en: 'The password must have at least 15 characters.',
    },
  });
});

test('a packed set holds exactly its texts, and damaged bytes are refused', () => {
  const words = Array.from({ length: 5_000 }, (_, index) => `word ${index}`);
  const packed = packFingerprints([...words, ...words]);
  const set = readFingerprints(packed);
  assert.equal(set.size, words.length);
  assert.ok(words.every((word) => set.has(word)));
  assert.ok(!words.some((word) => set.has(`${word}!`)));
  assert.throws(() => readFingerprints(packed.subarray(1)), /damaged/);
});
