// An import before it is sent: files as people have them, which column is which, and what the answer says of each row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harmless, readCsv, writeCsv } from '../../shared/csv.ts';
import { fileOf, guessMapping, mapRows } from './mapping.ts';
import { outcomesOf, piecesOf, reasonOf } from './outcome.ts';

test('commas, semicolons, tabs, quotes, marks and every line end are read', () => {
  assert.deepEqual(readCsv('\uFEFFa,b\r\n"x, ""y""\nz",2\n\n,\n'), [
    ['a', 'b'],
    ['x, "y"\nz', '2'],
  ]);
  assert.deepEqual(readCsv('a;b,c;d\r1;2;3'), [
    ['a', 'b,c', 'd'],
    ['1', '2', '3'],
  ]);
  assert.deepEqual(readCsv('a\tb\n1\t'), [
    ['a', 'b'],
    ['1', ''],
  ]);
  assert.deepEqual(readCsv(''), []);
});

test('what is written is read again, and no spreadsheet runs it', () => {
  const rows = [
    ['a', 'b "c"', 'd;e,f'],
    ['', 'x y', '1'],
  ];
  assert.deepEqual(readCsv(writeCsv(rows)), rows);
  assert.equal(writeCsv([['a\r\nb']]), 'a b\r\n');
  assert.deepEqual(['=1+1', ' -2', 'plain', '@x'].map(harmless), ["'=1+1", "' -2", 'plain', "'@x"]);
});

test('columns are known by their Swedish and English names, and Swedish words are sent as the service has them', () => {
  const mapping = guessMapping(['E-post', 'Förnamn', 'Efternamn', 'Yrkesroll', 'Enhet', 'Anteckning']);
  assert.deepEqual(mapping.email, { at: 0 });
  assert.deepEqual(mapping.user_type, { value: 'professional' });
  assert.equal(mapping.personnummer, undefined);
  const rows = mapRows([[' a@example.org ', 'Åsa', 'Öberg', 'Sjuksköterska', 'Norr', 'x'], ['b@example.org']], mapping);
  assert.equal(
    fileOf(rows),
    'email,user_type,first_name,last_name,professional_role,personnummer,organisations,groups,is_su_admin\r\n' +
      'a@example.org,professional,Åsa,Öberg,nurse,,Norr,,\r\nb@example.org,professional,,,,,,,\r\n',
  );
});

test('each row is made, skipped or faulty', () => {
  const answer = {
    created: 1,
    skipped: 2,
    skipped_lines: [3, 5],
    errors: [
      { line: 4, message: "'email' must match format" },
      { line: 4, message: "'organisations': there is no organisation 'Nowhere'" },
      { line: 5, message: "'email' is the one of line 2; this line is skipped" },
    ],
  };
  const outcomes = outcomesOf(4, answer);
  assert.deepEqual(
    outcomes.map(({ outcome, messages }) => [outcome, messages.length]),
    [
      ['create', 0],
      ['skip', 0],
      ['faulty', 2],
      ['skip', 1],
    ],
  );
  assert.deepEqual(
    answer.errors.map(({ message }) => reasonOf(message)),
    [
      { kind: 'column', column: 'email' },
      { kind: 'noOrganisation', name: 'Nowhere' },
      { kind: 'again', line: '2' },
    ],
  );
  assert.equal(reasonOf('something else'), undefined);
});

test('rows are sent in pieces', () => {
  assert.deepEqual(piecesOf([1, 2, 3], 2), [
    { start: 0, rows: [1, 2] },
    { start: 2, rows: [3] },
  ]);
  assert.deepEqual(piecesOf([], 2), []);
});
