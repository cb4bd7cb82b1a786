// The label of a question before a message about it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelled } from './labelled.ts';

test('a colon is between label and message, but after a question mark', () => {
  assert.equal(labelled('Vikt', 'Skriv ett tal.'), 'Vikt: Skriv ett tal.');
  assert.equal(labelled('Hur mår du?', 'Fyll i ett svar.'), 'Hur mår du? Fyll i ett svar.');
  assert.equal(labelled('', 'Fyll i ett svar.'), 'Fyll i ett svar.');
});
