import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvOf } from './table.ts';

test('a table as CSV keeps what is in its cells, and computes nothing', () => {
  const table = {
    head: ['Vem', 'Antal'],
    rows: [
      ['Hemvården "Nord", AB', 3.5],
      ['=1+1', -2],
      ['två\nrader', 0],
    ],
  };
  assert.equal(csvOf(table), 'Vem,Antal\r\n"Hemvården ""Nord"", AB",3.5\r\n\'=1+1,-2\r\n"två\nrader",0\r\n');
});
