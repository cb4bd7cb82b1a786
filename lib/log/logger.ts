// Structured logs: an event name and fields, request id and actor always, never a token, a password, a personnummer or
// a body.
import pino, { type DestinationStream, type Logger } from 'pino';
import { currentSpan } from '../traces/trace-context.ts';
import { createTickDestination } from './tick-destination.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly level: string;
  readonly format: 'json' | 'pretty';
  /** A stream that takes the lines as JSON, for tests. */
  readonly destination?: DestinationStream;
  /** A file that takes the lines; standard output when left out. */
  readonly file?: string;
}

/** Field names that are removed from every log line, whatever the call site passes. */
const REDACTED = ['password', 'token', 'secret', 'authorization', 'cookie', 'personnummer', 'receipt_token', 'api_key'];

/** The logger of the process. `logger.child({ service })` names the service that writes. */
export function createLogger(options: LoggerOptions): Logger {
  const { destination, file, format } = options;
  const settings = {
    level: options.level,
    base: null,
    timestamp: isoTime,
    redact: { paths: REDACTED.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    serializers: { err: describeError, req: () => undefined, res: () => undefined },
    mixin: traceFields,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (destination !== undefined) return pino(settings, destination);
  if (format === 'json') return pino(settings, createTickDestination(file));
  const prettified = {
    ignore: 'pid,hostname',
    translateTime: 'HH:MM:ss',
    ...(file === undefined ? {} : { destination: file, mkdir: true, colorize: false }),
  };
  // A transport runs in its own thread, and formatters cannot be passed to it.
  const { formatters: _formatters, ...portable } = settings;
  return pino({ ...portable, transport: { target: 'pino-pretty', options: prettified } });
}

/** Leads from a line to the trace in which it was written, where that is recorded. */
function traceFields(): object {
  const span = currentSpan();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.id };
}

const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

let lastSecond = Number.NaN;
let beginning = '';

/** The time in pino's form. It is cached, because many lines are written in one second. */
function isoTime(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    beginning = `,"time":"${new Date(second * 1000).toISOString().slice(0, -'000Z'.length)}`;
  }
  return `${beginning}${THREE_DIGITS[now - second * 1000]}Z"`;
}

/**
 * An error as log fields. PostgreSQL puts the offending values into `detail` and `where`, so only its code and
 * constraint are logged, not its message.
 */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const fromDatabase = 'severity' in error && 'code' in error;
  return {
    type: error.name,
    ...(fromDatabase ? {} : { message: error.message }),
    ...('code' in error ? { code: error.code } : {}),
    ...('constraint' in error ? { constraint: error.constraint } : {}),
    stack: fromDatabase ? framesOf(error) : error.stack,
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  };
}

function framesOf(error: Error): string {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
    .join('\n');
}
