// The bound on the references of a match.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#lib/errors.ts';
import type { Match } from '../../shared/match-store.ts';
import { addResults, addWrittenResults, MAX_RESULTS } from './match-results.ts';

const matchOf = (count: number) =>
  ({ results: Array.from({ length: count }, (_, index) => `Observation/${index}`) }) as unknown as Match;

test('references are kept once, in the order in which they came', () => {
  const match = matchOf(2);
  assert.deepEqual(addResults(match, ['Observation/1', 'Observation/b', 'Observation/b']), [
    'Observation/0',
    'Observation/1',
    'Observation/b',
  ]);
  assert.deepEqual(addWrittenResults(match, ['Observation/0']), match.results);
});

test('a report above the bound is refused, and the same report again is not', () => {
  const full = matchOf(MAX_RESULTS);
  assert.throws(
    () => addResults(full, ['Observation/one-more']),
    (error) => error instanceof ServiceError && error.code === 'conflict' && error.message.includes('5000'),
  );
  assert.deepEqual(addResults(full, ['Observation/7']), full.results);
  assert.equal(addResults(matchOf(MAX_RESULTS - 1), ['Observation/one-more']).length, MAX_RESULTS);
});

test('what is stored at the engine already is left out above the bound', () => {
  const all = addWrittenResults(matchOf(MAX_RESULTS - 1), ['Observation/a', 'Observation/b']);
  assert.equal(all.length, MAX_RESULTS);
  assert.equal(all.at(-1), 'Observation/a');
});

test('a match from before the bound keeps what it has', () => {
  const longer = matchOf(MAX_RESULTS + 3);
  assert.equal(addWrittenResults(longer, ['Observation/a']).length, MAX_RESULTS + 3);
  assert.equal(addResults(longer, ['Observation/1']).length, MAX_RESULTS + 3);
});
