// Progress on a terminal and in a log.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgress } from './progress.ts';

function screen(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text) };
}

test('a terminal shows a bar with share and rate, which is redrawn and removed', () => {
  const terminal = screen(true);
  let now = 0;
  const progress = createProgress(terminal, () => now);
  progress.show(10, 0.01);
  assert.deepEqual(terminal.written, []);
  now = 2_000;
  progress.show(20_000, 0.5);
  progress.show(20_001, 0.5);
  assert.equal(terminal.written.length, 1);
  assert.match(terminal.written[0] ?? '', /^\r\S+K?\[#{15}\.{15}\] 50 % {2}20,000 rows, 10,000 rows\/s$/);
  progress.clear();
  progress.clear();
  assert.equal(terminal.written.length, 2);
});

test('a log gets a line every ten seconds', () => {
  const log = screen(false);
  let now = 0;
  const progress = createProgress(log, () => now);
  for (now = 0; now <= 25_000; now += 1_000) progress.show(now, now / 100_000);
  progress.clear();
  assert.deepEqual(log.written, ['10 %, 10,000 rows, 1,000 rows/s\n', '20 %, 20,000 rows, 1,000 rows/s\n']);
  const endless = screen(false);
  now = 0;
  const other = createProgress(endless, () => now);
  now = 10_000;
  other.show(5);
  assert.deepEqual(endless.written, ['5 rows, 1 rows/s\n']);
});
