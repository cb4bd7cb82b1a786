// Primitive types: valid and invalid values of each, and the intervals of dates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateTimePrecision, parseDateTimePeriod } from './date-time.ts';
import { isPrimitiveType, type PrimitiveType, primitiveIssue } from './primitives.ts';

const RIGHT: Record<PrimitiveType, readonly unknown[]> = {
  base64Binary: ['YQ==', 'YWI=', 'YWJj', 'ab+/'],
  boolean: [true, false],
  canonical: ['http://example.org/fhir/x|1.0', '#a', 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520'],
  code: ['a', 'a b', 'åäö'],
  date: ['2020', '2020-02', '2020-02-29', '0001-01-01'],
  dateTime: ['2020', '2020-02', '2000-02-29', '2020-02-29T23:59:60Z', '2020-02-29T00:00:00.123456789+14:00'],
  decimal: [0, -1.5, 1e21],
  id: ['a', '1.2-B', 'x'.repeat(64)],
  instant: ['2020-02-29T00:00:00Z', '2020-02-29T00:00:00.1-05:30'],
  integer: [0, -2147483648, 2147483647],
  integer64: ['0', '-9223372036854775808', '9223372036854775807', '+5'],
  markdown: ['# a\r\n\tb'],
  oid: ['urn:oid:1.2.0'],
  positiveInt: [1, 2147483647],
  string: ['a', ' a ', 'x'.repeat(1_048_576)],
  time: ['00:00:00', '23:59:60.5'],
  unsignedInt: [0, 2147483647],
  uri: ['urn:a', 'http://a/b c'.replace(' ', '%20')],
  url: ['mailto:a@b.se'],
  uuid: ['urn:uuid:c757873d-ec9a-4326-a141-556f43239520'],
  xhtml: ['<div xmlns="http://www.w3.org/1999/xhtml">a</div>'],
};

const WRONG: Record<PrimitiveType, readonly unknown[]> = {
  base64Binary: ['', 'YQ=', 'YQ', 'Y Q=', '====', 'YQ==YQ==', 1],
  boolean: ['true', 1, null],
  canonical: ['', 'a b', 1, 'http://example.org/fhir/x|', 'Patient', '|1.0'],
  code: ['', ' a', 'a ', 'a  b', 'a\tb'],
  date: ['20', '2020-13', '2020-02-30', '1900-02-29', '0000', '2020-1-1', '2020-01-01T00:00:00Z', '2020-01-01Z', ''],
  dateTime: [
    '2020-01-01T00:00:00',
    '2020-01-01T00:00Z',
    '2020-01-01T24:00:00Z',
    '2020-01-01T00:00:00+14:30',
    '2020-04-31',
  ],
  decimal: ['1.0', Number.NaN, null],
  id: ['', 'a_b', 'x'.repeat(65), 'å'],
  instant: ['2020-01-01', '2020-01-01T00:00:00', '2020-01-01T00:00Z'],
  integer: [1.5, 2147483648, '1'],
  integer64: ['9223372036854775808', '-9223372036854775809', '01', '', '1.0', 1],
  markdown: ['', 'a\u0000'],
  oid: ['1.2.3', 'urn:oid:3.1', 'urn:oid:1.02'],
  positiveInt: [0, -1, 1.5],
  string: ['', 'a\u0000', 'a\ud800', 'x'.repeat(1_048_577), 1],
  time: ['24:00:00', '1:00:00', '10:00'],
  unsignedInt: [-1, 0.5],
  uri: ['', 'a b'],
  url: ['', 'http://a b'],
  uuid: ['c757873d-ec9a-4326-a141-556f43239520', 'urn:uuid:C757873D-EC9A-4326-A141-556F43239520'],
  xhtml: ['text', '', '<p/>'],
};

for (const [type, values] of Object.entries(RIGHT)) {
  test(`${type} accepts valid values`, () => {
    assert.ok(isPrimitiveType(type));
    for (const value of values) assert.equal(primitiveIssue(type, value), undefined, String(value));
  });
}

for (const [type, values] of Object.entries(WRONG)) {
  test(`${type} refuses invalid values`, () => {
    assert.ok(isPrimitiveType(type));
    for (const value of values) assert.match(primitiveIssue(type, value) ?? `accepted ${value}`, /^must be/);
  });
}

test('a date stands for its whole interval, both ends included', () => {
  const cases: [string, string, string][] = [
    ['2020', '2020-01-01T00:00:00.000Z', '2020-12-31T23:59:59.999Z'],
    ['2020-02', '2020-02-01T00:00:00.000Z', '2020-02-29T23:59:59.999Z'],
    ['2021-02-28', '2021-02-28T00:00:00.000Z', '2021-02-28T23:59:59.999Z'],
    ['2021-02-28T10:30', '2021-02-28T10:30:00.000Z', '2021-02-28T10:30:59.999Z'],
    ['2021-02-28T10:30:15+02:00', '2021-02-28T08:30:15.000Z', '2021-02-28T08:30:15.999Z'],
    ['2021-02-28T10:30:15.1-05:30', '2021-02-28T16:00:15.100Z', '2021-02-28T16:00:15.100Z'],
    ['2021-02-28T10:30:15.123456Z', '2021-02-28T10:30:15.123Z', '2021-02-28T10:30:15.123Z'],
    ['2021-12-31T23:59:60Z', '2022-01-01T00:00:00.000Z', '2022-01-01T00:00:00.999Z'],
    ['0099', '0099-01-01T00:00:00.000Z', '0099-12-31T23:59:59.999Z'],
  ];
  for (const [text, start, end] of cases) {
    const period = parseDateTimePeriod(text);
    assert.ok(period, text);
    assert.deepEqual([new Date(period.start).toISOString(), new Date(period.end).toISOString()], [start, end], text);
  }
});

test('an invalid date has no interval and no precision', () => {
  for (const text of [
    '',
    'x',
    '2021-02-29',
    '2021-00',
    '2021-01-01T10',
    '2021-01-01 10:00:00',
    '+2021',
    '2021-01-01T10:00:00+15:00',
  ]) {
    assert.equal(parseDateTimePeriod(text), undefined, text);
    assert.equal(dateTimePrecision(text), undefined, text);
  }
  assert.equal(dateTimePrecision('2021-01-01T10:00:00.5Z'), 'fraction');
});
