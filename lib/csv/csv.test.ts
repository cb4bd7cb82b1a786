// Writing and reading CSV: what is written is read again, in whatever pieces it arrives, and no error hides another.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CsvRecord, createCsvReader } from './csv-reader.ts';
import { restoreCell, writeRecord } from './csv-writer.ts';

function read(...pieces: readonly string[]): CsvRecord[] {
  const reader = createCsvReader();
  return [...pieces.flatMap((piece) => [...reader.push(piece)]), ...reader.end()];
}

const cell = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^['"=,;+\t\r\n@＝å -]{0,12}$/),
  fc.array(fc.constantFrom(';', "'", '=1', 'x', '"', ' ', '\t'), { maxLength: 12 }).map((parts) => parts.join('')),
);
const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 6 });

test('what is written is read again as the same cells, in whatever pieces it arrives', () => {
  fc.assert(
    fc.property(table, fc.array(fc.nat({ max: 200 }), { maxLength: 8 }), (rows, cuts) => {
      const text = rows.map(writeRecord).join('');
      const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      const records = read(...pieces);
      assert.deepEqual(
        records.map((record) => record.cells.map(restoreCell)),
        rows,
      );
      assert.ok(records.every((record) => record.issue === undefined));
    }),
    { numRuns: 1000 },
  );
});

test('no written cell begins a formula, whatever separates the cells of a spreadsheet', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const text = rows.map(writeRecord).join('');
      const cells = read(text).flatMap((record) => record.cells);
      // By one that knows quotes, and by one that separates by something else and finds quotes where it does not look
      // for them.
      for (const begun of [...cells, ...text.split(/[;\t\r\n]/)]) {
        assert.doesNotMatch(begun, /^[\s"\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫]/u);
      }
    }),
    { numRuns: 2000 },
  );
});

test('parts of a list in a cell are marked as a cell is', () => {
  const expected: readonly (readonly [value: string, written: string])[] = [
    ['=1+1', "'=1+1"],
    ['x;=HYPERLINK("http://a")', `"x;'=HYPERLINK(""http://a"")"`],
    ['North;-South; +East;"@West"', `"North;'-South;' +East;'""@West"""`],
    ['＝1;a＝b', "'＝1;a＝b"],
    ['a\t=1', "a\t'=1"],
    ['a-b;c=d', 'a-b;c=d'],
    ["'t Hooft;'t Hooft", "''t Hooft;'t Hooft"],
  ];
  for (const [value, written] of expected) {
    assert.equal(writeRecord([value]), `${written}\r\n`);
    assert.equal(restoreCell(read(written)[0]?.cells[0] ?? ''), value);
  }
});

test('a typed apostrophe stays', () => {
  for (const typed of ["'t Hooft", "O'Neill", 'a=b', '’', "North;'t Hooft"]) assert.equal(restoreCell(typed), typed);
  assert.equal(restoreCell("'=1+1"), '=1+1');
  // As releases before wrote it.
  assert.equal(restoreCell("''t Hooft"), "'t Hooft");
});

test('a long cell of nothing but separators is written and read in one pass', () => {
  const value = `${'\t'.repeat(1_000_000)}=1`;
  const written = writeRecord([value]).trimEnd();
  assert.equal(written.length, value.length + 1_000_001);
  assert.equal(restoreCell(written), value);
});

test('the line of a record is the physical one, with every kind of line end and lines inside of quotes', () => {
  const lines = (text: string) => read(text).map((record) => [record.line, ...record.cells]);
  assert.deepEqual(lines('a\nb\r\nc\rd'), [
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
    [4, 'd'],
  ]);
  assert.deepEqual(lines('"a\r\nb\nc",x\r\n\r\nd\n'), [
    [1, 'a\r\nb\nc', 'x'],
    [4, ''],
    [5, 'd'],
  ]);
});

test('a broken record is reported with its line, and the records after it are read', () => {
  const errorsOf = (text: string) =>
    read(text).map(({ line, cells, issue }) => [line, cells.join('|'), issue !== undefined]);
  assert.deepEqual(errorsOf('a"b,c\nd,e\n'), [
    [1, '', true],
    [2, 'd|e', false],
  ]);
  assert.deepEqual(errorsOf('x,"a"b,c\nd,e'), [
    [1, 'x', true],
    [2, 'd|e', false],
  ]);
  assert.deepEqual(errorsOf('a,b\nc,"d\ne,f\ng,h\n'), [
    [1, 'a|b', false],
    [2, 'c', true],
    [3, 'e|f', false],
    [4, 'g|h', false],
  ]);
});

test('an unclosed quote fails only its own line, however long the document', () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => `name ${index},x\n`);
  const records = read('a,"b\n', ...rows);
  assert.equal(records.length, 20_001);
  assert.deepEqual(records[0]?.line, 1);
  assert.match(records[0]?.issue ?? '', /not closed/);
  assert.deepEqual(records.at(-1), { line: 20_001, cells: ['name 19999', 'x'] });
});

test('a line that never ends is reported once', () => {
  const records = read(...Array.from({ length: 50 }, () => 'x'.repeat(10_000)), '\r', '\nb\n');
  assert.deepEqual(
    records.map(({ line, issue }) => [line, issue !== undefined]),
    [
      [1, true],
      [2, false],
    ],
  );
});
