import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harmless, readCsv, spreadsheetForm, writeCsv } from './csv.ts';

const ROWS = [
  ['Vem', 'Antal'],
  ['Hemvården "Nord", AB', 3.5],
  ['=1+1', -2],
  ['två\nrader; och fler', 0],
];

test('a table keeps what is in its cells, and computes nothing', () => {
  const rows = ROWS.map((row) => row.map(harmless));
  assert.equal(
    writeCsv(rows, spreadsheetForm('en')),
    'Vem,Antal\r\n"Hemvården ""Nord"", AB",3.5\r\n\'=1+1,-2\r\n"två rader; och fler",0\r\n',
  );
});

test('in Swedish the comma is the decimal sign, and a semicolon separates', () => {
  const text = writeCsv(ROWS, spreadsheetForm('sv'));
  assert.equal(text, 'Vem;Antal\r\n"Hemvården ""Nord"", AB";3,5\r\n=1+1;-2\r\n"två rader; och fler";0\r\n');
  assert.deepEqual(readCsv(text)[1], ['Hemvården "Nord", AB', '3,5']);
});
