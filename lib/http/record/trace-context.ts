// The request id and the W3C trace context (w3.org/TR/trace-context) of the current request, kept in an
// AsyncLocalStorage. Calls to other services pass them on.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomHex } from '../../random-pool.ts';

export interface TraceContext {
  readonly requestId: string;
  /** 32 hex digits, the same in every service. */
  readonly traceId: string;
  /** The sampled flag: the caller records the trace (`01`) or not (`00`). */
  readonly flags: string;
}

const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;
const storage = new AsyncLocalStorage<TraceContext>();

/** Runs `work` in the context of a request. */
export function runInTrace(trace: TraceContext, work: () => void): void {
  storage.run(trace, work);
}

/**
 * `x-request-id` and `traceparent` (with a span of its own) for a call made on behalf of the current request; empty
 * outside of one.
 */
export function traceHeaders(): Record<string, string> {
  const context = storage.getStore();
  if (context === undefined) return {};
  const { requestId, traceId, flags } = context;
  return { 'x-request-id': requestId, traceparent: `00-${traceId}-${randomHex(16)}-${flags}` };
}

/** The trace context of an incoming request. A missing or malformed `traceparent` starts a new trace (§3.2). */
export function traceOf({ id, traceparent }: { id: string; traceparent: unknown }): TraceContext {
  if (typeof traceparent !== 'string') return begin(id);
  const found = TRACEPARENT.exec(traceparent);
  const [, traceId = '', parentId = '', flags = ''] = found ?? [];
  const isValid = found !== null && /[^0]/.test(traceId) && /[^0]/.test(parentId) && !traceparent.startsWith('ff');
  return isValid ? { requestId: id, traceId, flags: flags === '01' ? '01' : '00' } : begin(id);
}

function begin(requestId: string): TraceContext {
  return { requestId, traceId: randomHex(32), flags: '00' };
}
