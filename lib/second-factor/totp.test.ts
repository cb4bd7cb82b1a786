import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from 'otpauth';
import { newRecoveryCodes, parseCode } from './code-text.ts';
import { newSecret, otpauthUri, stepOfCode } from './totp.ts';

/** RFC 6238, appendix B: the time in seconds and the code of eight digits, of which an app of six shows the last. */
const VECTORS = [
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
] as const;
const RFC_SECRET = Secret.fromLatin1('12345678901234567890').base32;

for (const [seconds, eight] of VECTORS) {
  test(`RFC 6238: at ${seconds} s the code is ${eight}`, () => {
    const code = eight.slice(-6);
    const step = Math.floor(seconds / 30);
    assert.equal(stepOfCode(code, RFC_SECRET, seconds * 1000), step);
    assert.equal(stepOfCode(code, RFC_SECRET, (seconds + 30) * 1000), step, 'a step late');
    assert.equal(stepOfCode(code, RFC_SECRET, (seconds - 30) * 1000), step, 'a step early');
    assert.equal(stepOfCode(code, RFC_SECRET, (seconds + 60) * 1000), undefined, 'two steps late');
    assert.equal(stepOfCode(code, RFC_SECRET, (seconds - 60) * 1000), undefined, 'two steps early');
    assert.equal(stepOfCode(eight, RFC_SECRET, seconds * 1000), undefined, 'too long');
  });
}

test('a secret has 160 bits and no two are alike', () => {
  const secrets = Array.from({ length: 50 }, newSecret);
  assert.equal(new Set(secrets).size, 50);
  for (const secret of secrets) assert.equal(Secret.fromBase32(secret).bytes.length, 20);
});

test('the address for an app names issuer, account and secret', () => {
  const secret = newSecret();
  const uri = new URL(otpauthUri(secret, 'anna+a@example.org'));
  assert.equal(uri.protocol, 'otpauth:');
  assert.equal(decodeURIComponent(uri.pathname), '/Kedja:anna+a@example.org');
  assert.deepEqual(Object.fromEntries(uri.searchParams), {
    issuer: 'Kedja',
    secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});

test('recovery codes: ten of 80 bits in groups, read in whatever form they are typed', () => {
  const codes = newRecoveryCodes();
  assert.equal(new Set(codes).size, 10);
  for (const code of codes) {
    assert.match(code, /^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}$/);
    const letters = code.replaceAll('-', '');
    for (const typed of [code, letters, letters.toLowerCase(), ` ${code.replaceAll('-', ' ')} `]) {
      assert.deepEqual(parseCode(typed), { kind: 'recovery', letters });
    }
  }
});

test('six digits are a code of the app, grouped or not; any other text is not', () => {
  for (const typed of ['123456', ' 123 456 ', '123-456']) {
    assert.deepEqual(parseCode(typed), { kind: 'totp', digits: '123456' });
  }
  for (const typed of [
    '',
    '12345',
    '1234567',
    '١٢٣٤٥٦',
    'ABCD-EFGH-IJKL-MNO',
    'ABCD-EFGH-IJKL-MNO1',
    '12345a',
    "' OR 1=1",
  ]) {
    assert.equal(parseCode(typed), undefined, typed);
  }
});
