import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLineWriter } from './line-writer.ts';
import { createLogger } from './logger.ts';
import { withLazyChildren } from './request-logger.ts';

function makeLogger() {
  const lines: Array<Record<string, unknown>> = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, logger: createLogger({ level: 'debug', format: 'json', destination }).child({ service: 'sample' }) };
}

test('a request’s logger writes the same as a child, with its bindings, at every level', () => {
  const { lines, logger } = makeLogger();
  const own = withLazyChildren(logger).child({}).child({ requestId: 'r1' });
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

test('a line that is written in parts is the line that the logger would write', () => {
  const { lines, logger } = makeLogger();
  const own = logger.child({ event: 'e', name: 'å "b"' });
  for (const level of ['debug', 'info'] as const) {
    createLineWriter(own, level)(',"requestId":"r","ms":1.5');
    own[level]({ requestId: 'r', ms: 1.5 });
    const [written, wanted] = lines.splice(0);
    assert.ok(Math.abs(Date.parse(String(written?.['time'])) - Date.now()) < 1_000);
    assert.deepEqual(Object.entries({ ...written, time: '' }), Object.entries({ ...wanted, time: '' }));
  }
});

test('a line below the level is not written', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ level: 'info', format: 'json', destination });
  createLineWriter(logger, 'debug')(',"ms":1');
  createLineWriter(logger, 'info')(',"ms":2');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).ms),
    [2],
  );
});
