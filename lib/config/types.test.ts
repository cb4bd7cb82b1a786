import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addressOrNetwork,
  clientCredentials,
  email,
  host,
  origin,
  postgresUrl,
  redirectTarget,
  url,
} from './network-types.ts';
import { Secret } from './secret.ts';
import {
  boolean,
  either,
  integer,
  listOf,
  oneOf,
  secretText,
  sequenceOf,
  text,
  timeZone,
  type ValueType,
} from './types.ts';

function accepts<T>(type: ValueType<T>, cases: Readonly<Record<string, T>>): void {
  for (const [given, value] of Object.entries(cases)) {
    assert.deepEqual(type.parse(given), { ok: true, value }, given);
  }
}

function refuses(type: ValueType<unknown>, issue: RegExp, texts: readonly string[]): void {
  for (const given of texts) {
    const result = type.parse(given);
    assert.ok(!result.ok, `${type.label} accepts ${given}`);
    assert.match(result.issues.join('; '), issue, given);
  }
}

test('text is taken as it is', () => {
  accepts(text(), { 'a b': 'a b' });
});

test('integers keep their bounds and have one spelling', () => {
  const type = integer({ min: -5, max: 65_535 });
  accepts(type, { '-5': -5, '0': 0, '65535': 65_535 });
  refuses(type, /whole number from -5 to 65535/, [
    '-6',
    '65536',
    '1.5',
    '1e3',
    '0x10',
    ' 1',
    'ten',
    '9'.repeat(20),
    'NaN',
  ]);
});

test('booleans are true and false alone', () => {
  accepts(boolean(), { true: true, false: false });
  refuses(boolean(), /true or false/, ['yes', '1', 'TRUE']);
});

test('a choice is one of the listed words', () => {
  accepts(oneOf(['open', 'closed']), { open: 'open', closed: 'closed' });
  refuses(oneOf(['open', 'closed']), /one of open, closed/, ['Open', 'toString', '']);
});

test('lists name the invalid entry and refuse doubles and gaps', () => {
  const type = listOf(integer({ min: 1, max: 9 }));
  accepts(type, { '1': [1], '1, 2 ,3': [1, 2, 3] });
  refuses(type, /entry 2 must be a whole number.*entry 3 must be a whole number/, ['1,x,y']);
  refuses(type, /entry 2 must not be empty/, ['1,']);
  refuses(type, /entry 3 must not be given twice/, ['1,2,1']);
});

test('a sequence may hold the same value twice', () => {
  const type = sequenceOf(integer({ min: 1, max: 99 }));
  accepts(type, { '5,60,60': [5, 60, 60] });
  refuses(type, /entry 2 must be a whole number/, ['5,x']);
});

test('either takes the first type that fits and names both when none does', () => {
  const type = either(boolean(), listOf(addressOrNetwork()));
  accepts(type, { true: true, '10.0.0.0/8': ['10.0.0.0/8'] });
  refuses(type, /true or false, or must be an IP address/, ['perhaps']);
});

test('hosts are addresses or names, without port', () => {
  accepts(host(), { '127.0.0.1': '127.0.0.1', '::': '::', 'kedja.internal': 'kedja.internal' });
  refuses(host(), /IP address or a host name/, ['127.0.0.1:80', '1.2.3', '300.1.1.1', 'a_b', '-a', 'http://a', 'a b']);
});

test('networks are addresses with or without a prefix', () => {
  accepts(addressOrNetwork(), { '10.0.0.1': '10.0.0.1', '10.0.0.0/8': '10.0.0.0/8', 'fd00::/8': 'fd00::/8' });
  refuses(addressOrNetwork(), /IP address or a network/, [
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'proxy',
    '*',
  ]);
});

test('URLs are http(s), bare of credentials, query and fragment', () => {
  accepts(url(), { 'https://a.example/x/': 'https://a.example/x', 'http://127.0.0.1:8081': 'http://127.0.0.1:8081' });
  refuses(url(), /absolute URL/, [
    'a.example',
    'ftp://a.example',
    'https:/a',
    'https://',
    'https://a\\b',
    'https://a b/',
  ]);
  refuses(url(), /user name or a password/, ['https://u:p@a.example']);
  refuses(url(), /query or a fragment/, ['https://a.example/?x=1', 'https://a.example/#', 'https://a.example/?']);
  accepts(origin(), { 'https://a.example:8443/': 'https://a.example:8443', 'https://A.example': 'https://a.example' });
  refuses(origin(), /origin.*without a path/, ['https://a.example/x']);
});

test('redirect targets are https except on loopback', () => {
  accepts(redirectTarget(), {
    'https://a.example/sso': 'https://a.example/sso',
    'http://localhost:5173': 'http://localhost:5173/',
    'http://[::1]:1/x': 'http://[::1]:1/x',
    'http://127.9.9.9/': 'http://127.9.9.9/',
  });
  refuses(redirectTarget(), /must be an https URL/, [
    'http://a.example/',
    'http://localhost.example/',
    'http://127.0.0.1.example/',
  ]);
});

test('e-mail addresses', () => {
  accepts(email(), { 'admin@example.org': 'admin@example.org', 'admin@localhost': 'admin@localhost' });
  refuses(email(), /e-mail address/, ['admin', '@example.org', 'a b@example.org', 'a@b@c', 'a@b..c', 'a@.b']);
});

test('secrets are kept and never shown', () => {
  const result = secretText().parse('hunter2hunter2');
  assert.ok(result.ok && result.value.reveal() === 'hunter2hunter2');
  const database = postgresUrl().parse('postgres://u:hunter2@h/kedja');
  assert.ok(database.ok && database.value.reveal() === 'postgres://u:hunter2@h/kedja');
  refuses(postgresUrl(), /must be a URL such as/, ['mysql://h/d', 'host=h dbname=d']);
  refuses(postgresUrl(), /must name a database/, ['postgresql://u:hunter2@h', 'postgresql://u:hunter2@h/']);
});

test('client credentials split at the first colon and name the clients', () => {
  const result = listOf(clientCredentials()).parse('dispatch:a:b,engine:c');
  assert.ok(result.ok);
  const pairs = result.value.map((client) => [client.clientId, client.clientSecret.reveal()]);
  assert.deepEqual(pairs, [
    ['dispatch', 'a:b'],
    ['engine', 'c'],
  ]);
  refuses(clientCredentials(), /form client_id:client_secret/, ['dispatch', ':x', 'dispatch:']);
  refuses(clientCredentials(), /client_id of letters/, ['a b:x', 'ö:x']);
});

test('a time zone is a name of the IANA database, and no offset', () => {
  for (const name of ['UTC', 'Europe/Stockholm', 'America/Argentina/Buenos_Aires'])
    assert.deepEqual(timeZone().parse(name), { ok: true, value: name });
  refuses(timeZone(), /IANA name of a time zone/, ['', '+01:00', 'Europe/Nowhere', 'Stockholm', '2']);
});

test('the errors of a secret type never repeat it', () => {
  for (const type of [postgresUrl(), clientCredentials(), listOf(clientCredentials())]) {
    const result = type.parse('hun ter2');
    assert.ok(type.secret && !result.ok);
    assert.doesNotMatch(result.issues.join(), /hun|ter2/);
  }
  assert.ok(new Secret('x').reveal() === 'x');
});
