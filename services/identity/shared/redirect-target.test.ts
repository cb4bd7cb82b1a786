import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRedirectTarget, parseRegisteredTarget, registrationIssue, withParameters } from './redirect-target.ts';

const ALLOWED = ['https://app.example.org/sso/', 'https://other.example.org:8443/', 'http://127.0.0.1:8080/'];

const ACCEPTED = [
  'https://app.example.org/sso/',
  'https://app.example.org/sso',
  'https://app.example.org/sso/callback',
  'https://app.example.org/sso/callback?tenant=a%20b&x=1',
  'https://app.example.org:443/sso/callback',
  'HTTPS://APP.example.org/sso/callback',
  'https://app.example.org/sso/%C3%A5ngstr%C3%B6m',
  'https://app.example.org/sso/a?back=https%3A%2F%2Fapp.example.org%2F..',
  'https://other.example.org:8443',
  'https://other.example.org:8443/anything/at/all?',
  'http://127.0.0.1:8080/callback',
];

const TRICKS = [
  // another scheme
  'javascript:alert(1)',
  'data:text/html,hi',
  'ftp://app.example.org/sso/',
  'http://app.example.org/sso/',
  'ws://app.example.org/sso/',
  'file:///sso/',
  'blob:https://app.example.org/sso/',
  'view-source:https://app.example.org/sso/',
  // no or an odd authority
  '',
  '/sso/callback',
  '//app.example.org/sso/',
  '///app.example.org/sso/',
  'https:app.example.org/sso/',
  'https:/app.example.org/sso/',
  'https:///app.example.org/sso/',
  'https:////app.example.org/sso/',
  'https://',
  'https:///sso/',
  'app.example.org/sso/',
  // user info
  'https://app.example.org@evil.example/sso/',
  'https://user@app.example.org/sso/',
  'https://user:secret@app.example.org/sso/',
  'https://@app.example.org/sso/',
  'https://:@app.example.org/sso/',
  'https://app.example.org%40evil.example/sso/',
  'https://app.example.org:443@evil.example/sso/',
  'https://app.example.org/@evil.example/',
  // backslashes
  'https:\\\\app.example.org\\sso\\',
  'https://evil.example\\@app.example.org/sso/',
  'https://app.example.org\\.evil.example/sso/',
  'https://app.example.org/sso\\..\\admin',
  'https://app.example.org/sso/%5c..%5cadmin',
  '\\\\evil.example',
  // control characters, white space, other alphabets
  ' https://app.example.org/sso/',
  'https://app.example.org/sso/ ',
  'https://app.example.org/sso/\n',
  'https://app.example.org/sso/\r\nset-cookie: a=b',
  'ht\ttps://app.example.org/sso/',
  'https://app.exa\tmple.org/sso/',
  'https://app.example.org/sso/\u0000',
  '\u0001https://app.example.org/sso/',
  'https://app.example.org/sso/%00',
  'https://app.example.org/sso/%0d%0aset-cookie:a=b',
  'https://app.example.org\u3002evil.example/sso/',
  'https://app.example.org\uff0fsso/',
  'https://\uff41pp.example.org/sso/',
  'https://app\u00ad.example.org/sso/',
  'https://app.example.org/sso/\u202e',
  'https://\u0430pp.example.org/sso/',
  'https://xn--pp-8hc.example.org/sso/',
  // neighbouring hosts
  'https://evil.example/sso/',
  'https://evil.example/app.example.org/sso/',
  'https://evil.example?https://app.example.org/sso/',
  'https://app.example.org.evil.example/sso/',
  'https://evilapp.example.org/sso/',
  'https://sub.app.example.org/sso/',
  'https://example.org/sso/',
  'https://app.example.org./sso/',
  'https://app%2eexample%2eorg.evil.example/sso/',
  'https://[::1]/sso/',
  'https://0x7f.1:8080/',
  // ports
  'https://app.example.org:8443/sso/',
  'https://app.example.org:80/sso/',
  'https://app.example.org:0443x/sso/',
  'https://app.example.org:99999/sso/',
  'https://other.example.org/',
  'http://127.0.0.1/',
  'http://127.0.0.1:8081/',
  'http://localhost:8080/callback',
  'http://2130706433.evil.example:8080/',
  // paths
  'https://app.example.org/',
  'https://app.example.org',
  'https://app.example.org/ssoevil',
  'https://app.example.org/SSO/',
  'https://app.example.org/sso/../admin',
  'https://app.example.org/sso/..',
  'https://app.example.org/sso/./x',
  'https://app.example.org/sso/%2e%2e/admin',
  'https://app.example.org/sso/.%2e/admin',
  'https://app.example.org/sso/%252e%252e/admin',
  'https://app.example.org/sso/..;/admin',
  'https://app.example.org/sso/..%3b/admin',
  'https://app.example.org/sso/..%2fadmin',
  'https://app.example.org/x/../sso/',
  'https://app.example.org//sso/',
  'https://app.example.org/sso//evil.example',
  'https://app.example.org/%73so/',
  'https://app.example.org/sso/%zz',
  'https://app.example.org/sso/%',
  'https://app.example.org?/sso/',
  // fragments and our own parameters
  'https://app.example.org/sso/#x',
  'https://app.example.org/sso/#',
  'https://evil.example#app.example.org/sso/',
  'https://evil.example/#https://app.example.org/sso/',
  'https://app.example.org/sso/?token=mine',
  'https://app.example.org/sso/?a=1&state=mine',
  'https://app.example.org/sso/?%74oken=mine',
  'https://app.example.org/sso/?code=mine',
  // characters that break out of markup or headers, and length
  'https://app.example.org/sso/"onload=x',
  'https://app.example.org/sso/<script>',
  'https://app.example.org/sso/{{x}}',
  'https://app.example.org/sso/|x',
  'https://app.example.org/sso/^x',
  'https://app.example.org/sso/`x`',
  `https://app.example.org/sso/${'x'.repeat(2048)}`,
  'null',
  'undefined',
  '*',
];

for (const next of ACCEPTED) {
  test(`accepted: ${next}`, () => {
    assert.notEqual(parseRedirectTarget(next, ALLOWED), undefined);
  });
}

test(`none of ${TRICKS.length} tricks gets a redirect`, () => {
  assert.ok(TRICKS.length >= 60);
  assert.deepEqual(
    TRICKS.filter((next) => parseRedirectTarget(next, ALLOWED) !== undefined),
    [],
  );
});

test('an empty allow-list allows nothing', () => {
  assert.equal(parseRedirectTarget('https://app.example.org/sso/', []), undefined);
});

test('plain http is refused away from loopback even when the list holds it', () => {
  assert.equal(parseRedirectTarget('http://app.example.org/', ['http://app.example.org/']), undefined);
});

test('parameters are added to whatever query is there', () => {
  const added = (next: string) =>
    withParameters(parseRedirectTarget(next, ALLOWED) as URL, { token: 'a.b.c', state: 'x&y=å' });
  const tail = 'token=a.b.c&state=x%26y%3D%C3%A5';
  assert.equal(added('https://app.example.org/sso'), `https://app.example.org/sso?${tail}`);
  assert.equal(added('https://app.example.org/sso?'), `https://app.example.org/sso?${tail}`);
  assert.equal(added('https://app.example.org/sso?a=1'), `https://app.example.org/sso?a=1&${tail}`);
  assert.equal(added('https://app.example.org/sso?a=1&'), `https://app.example.org/sso?a=1&${tail}`);
  assert.equal(added('https://other.example.org:8443'), `https://other.example.org:8443/?${tail}`);
});

const REGISTERED = [
  'https://app.example.org/callback',
  'https://app.example.org:8443/a%20b?tenant=1&x=%C3%A5',
  'https://app.example.org/',
  'http://127.0.0.1/done',
  'http://[::1]:8080/done?x=1',
  'http://localhost/done',
];

test('an address is registered when every parser reads it alike, and only in the one form in which it is then compared', () => {
  for (const address of REGISTERED) assert.equal(registrationIssue(address), undefined, address);
  for (const [written, plain] of [
    ['https://APP.example.org/callback', 'https://app.example.org/callback'],
    ['HTTPS://app.example.org/callback', 'https://app.example.org/callback'],
    ['https://app.example.org:443/callback', 'https://app.example.org/callback'],
    ['https://app.example.org', 'https://app.example.org/'],
    ['http://0x7f.1/done', 'http://127.0.0.1/done'],
    ['http://[0:0:0:0:0:0:0:1]/done', 'http://[::1]/done'],
  ]) {
    assert.equal(registrationIssue(String(written)), `must be written as ${plain}`);
  }
  for (const address of [
    'https://user@app.example.org/',
    'https://app.example.org/#',
    'https://app.example.org/a/../b',
    'https://app.example.org/%2e%2e/b',
    'https://app.example.org/a%2Fb',
    'https://app.example.org//b',
    'https://app.example.org/\\b',
    'https://app.example.org/?state=mine',
    'http://app.example.org/',
    'org.example.app:/callback',
    'javascript:alert(1)',
    '/callback',
    '',
  ]) {
    assert.match(registrationIssue(address) ?? '', /^must be an absolute https address/, address);
  }
});

test('no trick matches a registered address; a registered one matches only as a string', () => {
  for (const isPublic of [false, true]) {
    const others = TRICKS.filter((next) => !REGISTERED.includes(next));
    const led = others.filter((next) => parseRegisteredTarget(next, REGISTERED, { isPublic }) !== undefined);
    assert.deepEqual(led, []);
    for (const address of REGISTERED) {
      assert.equal(parseRegisteredTarget(address, REGISTERED, { isPublic })?.href, address);
      for (const next of [`${address}/`, `${address}#`, `${address}?`, ` ${address}`, address.toUpperCase()]) {
        assert.equal(parseRegisteredTarget(next, REGISTERED, { isPublic }), undefined, next);
      }
    }
  }
});
