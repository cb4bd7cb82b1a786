import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unavailable } from '#lib/db/failure.ts';
import { notFound } from '#lib/errors.ts';
import { explain } from './site-command.ts';

test('an operator reads why the database cannot be used, and what to run', () => {
  for (const reason of ['password authentication failed for user "kedja"', 'connect ECONNREFUSED 10.0.0.5:5432']) {
    assert.deepEqual(explain(unavailable(new Error(reason))), [
      `The database cannot be used: ${reason}. Run kedja doctor: it says what to do`,
    ]);
  }
  assert.deepEqual(explain(notFound('The patient')), ['The patient not found']);
});
