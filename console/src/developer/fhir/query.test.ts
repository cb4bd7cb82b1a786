// Searches as query strings: nothing of a value is lost, and what can be read stays readable.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstOf, readQuery, sampleOf, splitName, writeQuery } from './query.ts';

test('a query is read and written without a loss', () => {
  const conditions = [
    { name: 'code:in', value: 'http://loinc.org|29463-7,a&b=c d+é%' },
    { name: '_has:Observation:patient:code', value: '1' },
    { name: 'code', value: 'x' },
    { name: 'code', value: 'y' },
  ];
  assert.deepEqual(readQuery(writeQuery(conditions)), conditions);
  assert.equal(writeQuery([{ name: 'subject', value: 'Patient/1' }]), 'subject=Patient/1');
  assert.match(writeQuery(conditions), /^code:in=http:\/\/loinc.org\|29463-7,a%26b%3Dc%20d%2B/);
  assert.deepEqual(readQuery('?a=1'), [{ name: 'a', value: '1' }]);
});

test('conditions that are not filled in are left out', () => {
  assert.equal(
    writeQuery([
      { name: '', value: 'x' },
      { name: 'a', value: '' },
      { name: 'b', value: '1' },
    ]),
    'b=1',
  );
});

test('a modifier is told from a chain', () => {
  assert.deepEqual(splitName('name:exact'), ['name', 'exact']);
  assert.deepEqual(splitName('name'), ['name', '']);
  assert.deepEqual(splitName('subject:Patient.name'), ['subject:Patient.name', '']);
  assert.deepEqual(splitName('_has:Observation:patient:code'), ['_has:Observation:patient:code', '']);
});

test('a condition begins with a parameter of the type, and has an example where one is known', () => {
  assert.equal(firstOf([{ name: '_content' }, { name: 'code' }]), 'code');
  assert.deepEqual([firstOf([{ name: '_id' }]), firstOf([])], ['_id', '']);
  assert.equal(sampleOf('_content', 'special'), 'heart');
  assert.equal(sampleOf('code', 'token'), 'system|code');
  assert.equal(sampleOf('_count', undefined), '20');
  assert.equal(sampleOf('unheard-of', undefined), undefined);
});
