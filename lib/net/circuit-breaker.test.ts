// The circuit breaker: when it opens, for how long, and when it closes again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCircuitBreaker } from './circuit-breaker.ts';

function make() {
  const clock = { time: 1000, now: () => clock.time };
  const breaker = createCircuitBreaker({ clock, threshold: 3, openMs: 100, maxOpenMs: 350 });
  const fail = (times: number) => {
    for (let n = 0; n < times; n += 1) breaker.enter()?.failed();
  };
  return { clock, breaker, fail };
}

test('failures in a row open it, a success between them does not', () => {
  const { breaker, fail } = make();
  fail(2);
  breaker.enter()?.succeeded();
  fail(2);
  assert.equal(breaker.state(), 'closed');
  fail(1);
  assert.deepEqual([breaker.state(), breaker.enter(), breaker.waitMs()], ['open', undefined, 100]);
});

test('after its time one call at a time tries; its success closes it', () => {
  const { clock, breaker, fail } = make();
  fail(3);
  clock.time += 100;
  assert.equal(breaker.state(), 'half_open');
  const trial = breaker.enter();
  assert.ok(trial);
  assert.deepEqual([breaker.state(), breaker.enter()], ['open', undefined]);
  trial.abandoned();
  assert.equal(breaker.state(), 'half_open');
  breaker.enter()?.succeeded();
  assert.equal(breaker.state(), 'closed');
  fail(2);
  assert.equal(breaker.state(), 'closed', 'the count begins again');
});

test('each trial that fails doubles the time, up to the longest', () => {
  const { clock, breaker, fail } = make();
  fail(3);
  for (const expected of [200, 350, 350]) {
    clock.time += breaker.waitMs();
    fail(1);
    assert.equal(breaker.waitMs(), expected);
  }
});

test('calls that began before it opened do not make it stay open longer, and count once', () => {
  const { clock, breaker, fail } = make();
  const late = breaker.enter();
  fail(3);
  clock.time += 60;
  late?.failed();
  late?.failed();
  assert.equal(breaker.waitMs(), 40);
});

test('a success of a call that began before it opened closes it', () => {
  const { breaker, fail } = make();
  const late = breaker.enter();
  fail(3);
  late?.succeeded();
  assert.equal(breaker.state(), 'closed');
});

test('a clock that is set leaves it open neither for longer nor for less', () => {
  const clock = { time: 1000, passed: 0, now: () => clock.time, elapsed: () => clock.passed };
  const breaker = createCircuitBreaker({ clock, threshold: 1, openMs: 100, maxOpenMs: 100 });
  breaker.enter()?.failed();
  clock.time += 3_600_000;
  assert.deepEqual([breaker.state(), breaker.waitMs()], ['open', 100]);
  clock.time -= 7_200_000;
  clock.passed += 100;
  assert.equal(breaker.state(), 'half_open');
});
