import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, withoutRedaction } from './logger.ts';
import { lazyChild } from './request-logger.ts';

function makeLogger() {
  const lines: Array<Record<string, unknown>> = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, logger: createLogger({ level: 'debug', format: 'json', destination }).child({ service: 'sample' }) };
}

test('a request’s logger says what a child would, with its bindings, at every level', () => {
  const { lines, logger } = makeLogger();
  const own = lazyChild(logger, { requestId: 'r1' });
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const) own[level]({ event: level });
  own.child({ part: 'p' }).info({ event: 'inner', token: 'secret' }, 'a text');
  assert.deepEqual(
    lines.map(({ event, level, requestId, service }) => [event, level, requestId, service]),
    [
      ...['debug', 'info', 'warn', 'error', 'fatal'].map((level) => [level, level, 'r1', 'sample']),
      ['inner', 'info', 'r1', 'sample'],
    ],
  );
  const last = lines.at(-1);
  assert.deepEqual([last?.['part'], last?.['token'], last?.['msg']], ['p', '[redacted]', 'a text']);
});

test('a logger without redaction keeps everything else: level, bindings, time', () => {
  const { lines, logger } = makeLogger();
  withoutRedaction(logger).info({ event: 'e' });
  const [line] = lines;
  assert.deepEqual([line?.['event'], line?.['level'], line?.['service']], ['e', 'info', 'sample']);
  assert.ok(Math.abs(Date.parse(String(line?.['time'])) - Date.now()) < 1_000);
});
