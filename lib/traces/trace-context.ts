// The request id and the W3C trace context (w3.org/TR/trace-context) of the current request, kept in an
// AsyncLocalStorage. Calls to other services pass them on.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomHex } from '../random-pool.ts';
import type { Span } from './span.ts';

export interface TraceContext {
  readonly requestId: string;
  /** 32 hex digits, the same in every service. */
  readonly traceId: string;
  /** The span of the caller, 16 hex digits; undefined where the trace begins here. */
  readonly parentId: string | undefined;
  /** The sampled flag: the trace is recorded (`01`) or not (`00`). */
  readonly flags: '00' | '01';
  /** `tracestate` of the caller, which is passed on as it is. */
  readonly state: string | undefined;
  /** The span of this process; undefined where nothing is recorded. */
  readonly span: Span | undefined;
}

/** Headers of an incoming request, by their names in lower case. */
export type TraceHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A later version may have more fields (§4.3). */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
/** Members of a list: a key (with the name of a tenant) and a value of printable characters without `,` and `=`. */
const STATE_MEMBER = /^[a-z\d][\w*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
/** What each participant passes on at least (§3.3.1.5). More is dropped. */
const MAX_STATE = 512;
const MAX_MEMBERS = 32;
const SAMPLED = 1;

const storage = new AsyncLocalStorage<TraceContext>();

/** Runs `work` in the context of a request. */
export function runInTrace<T>(trace: TraceContext, work: () => T): T {
  return storage.run(trace, work);
}

/** The context of the current request; undefined outside of one. */
export function currentTrace(): TraceContext | undefined {
  return storage.getStore();
}

/** The recorded span of the current request, as long as it runs. */
export function currentSpan(): Span | undefined {
  const span = storage.getStore()?.span;
  return span?.isEnded === false ? span : undefined;
}

/** What an incoming request says of its trace: a missing or malformed `traceparent` begins a new trace (§4.3). */
export function readTrace(id: string, headers: TraceHeaders): TraceContext {
  const { traceparent, tracestate } = headers;
  const given = typeof traceparent === 'string' ? parseParent(traceparent) : undefined;
  if (given === undefined) return beginTrace(id);
  return { requestId: id, ...given, state: validState(tracestate), span: undefined };
}

/** A new trace, which is not recorded. */
export function beginTrace(requestId: string): TraceContext {
  const traceId = randomHex(32);
  return { requestId, traceId, parentId: undefined, flags: '00', state: undefined, span: undefined };
}

/**
 * `x-request-id`, `traceparent` and `tracestate` for a call made on behalf of the current request; empty outside of
 * one. `span` is that of the call.
 */
export function traceHeaders(span?: Span): Record<string, string> {
  const context = storage.getStore();
  if (context === undefined) return {};
  return { 'x-request-id': context.requestId, ...contextHeaders(context, span) };
}

/** `traceparent` and `tracestate` of a call that belongs to a trace. Where we record nothing, the caller's go on. */
export function contextHeaders(context: Omit<TraceContext, 'requestId'>, span = context.span): Record<string, string> {
  const { traceId, flags, parentId, state } = context;
  const traceparent = `00-${traceId}-${span?.id ?? parentId ?? randomHex(16)}-${flags}`;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}

/**
 * The current trace as text, for work that is done later; undefined where nobody records it. {@link readCarried} reads
 * it.
 */
export function carriedTrace(): string | undefined {
  const context = storage.getStore();
  if (context === undefined || context.flags === '00') return undefined;
  const { traceparent, tracestate } = contextHeaders(context);
  return tracestate === undefined ? traceparent : `${traceparent} ${tracestate}`;
}

/** The trace that {@link carriedTrace} wrote; undefined where it wrote none. */
export function readCarried(text: string | undefined): TraceContext | undefined {
  if (text === undefined) return undefined;
  const end = text.indexOf(' ');
  const traceparent = end === -1 ? text : text.slice(0, end);
  const given = parseParent(traceparent);
  if (given === undefined) return undefined;
  return { requestId: '', ...given, state: end === -1 ? undefined : validState(text.slice(end + 1)), span: undefined };
}

function parseParent(text: string): Pick<TraceContext, 'traceId' | 'parentId' | 'flags'> | undefined {
  const [found, version, traceId = '', parentId = '', flags = '', more] = TRACEPARENT.exec(text) ?? [];
  if (found === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (!/[^0]/.test(traceId) || !/[^0]/.test(parentId)) return undefined;
  return { traceId, parentId, flags: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED ? '01' : '00' };
}

/** A list that is too long or has a malformed member is left out; the trace goes on without it (§3.3). */
function validState(given: string | string[] | undefined): string | undefined {
  if (given === undefined) return undefined;
  const text = typeof given === 'string' ? given : given.join(',');
  if (text.length > MAX_STATE) return undefined;
  const members = text.split(',').flatMap((member) => member.trim() || []);
  const isValid =
    members.length > 0 && members.length <= MAX_MEMBERS && members.every((each) => STATE_MEMBER.test(each));
  return isValid ? members.join(',') : undefined;
}
