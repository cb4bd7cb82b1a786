import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correctableIssues, invalidRequest, ServiceError, tooCostly } from './errors.ts';

test('what cannot be read is a 400 with every issue', () => {
  const issues = [{ message: 'a is missing' }, { message: 'b is no date', field: 'b' }];
  const error = invalidRequest(issues);
  assert.deepEqual([error.status, error.code, error.message], [400, 'invalid_request', 'a is missing; b is no date']);
  assert.deepEqual(error.issues, issues);
});

test('what is too much is a 400 that names the limit', () => {
  const error = tooCostly('There are more than 5 of them');
  assert.deepEqual([error.status, error.message], [400, 'There are more than 5 of them']);
  assert.deepEqual(error.issues, [{ message: 'There are more than 5 of them', code: 'too-costly' }]);
});

test('what a caller can correct has at least one issue; any other error is thrown', () => {
  const issues = [{ message: 'x', field: 'y' }];
  assert.deepEqual(correctableIssues(invalidRequest(issues)), issues);
  assert.deepEqual(correctableIssues(new ServiceError('conflict', 'taken')), [{ message: 'taken' }]);
  for (const error of [new ServiceError('unavailable', 'away'), new TypeError('no'), undefined])
    assert.throws(
      () => correctableIssues(error),
      (thrown) => thrown === error,
    );
});
