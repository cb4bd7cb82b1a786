// Decides which requests of a service are recorded as spans (docs/adr/0132). Where the caller records its trace, so do
// we; a trace that begins here is recorded by chance.
import { type Clock, systemClock } from '../clock.ts';
import { Span, type SpanStart, type TakeSpan } from './span.ts';
import { beginTrace, readTrace, type TraceContext, type TraceHeaders } from './trace-context.ts';

export interface Tracer {
  /** The context of a request that arrives, with a span where it is recorded. */
  begin(requestId: string, headers: TraceHeaders): TraceContext;
  /** The span of later work in a trace of which a request was recorded; undefined where this work is not. */
  resume(trace: TraceContext, start: SpanStart): Span | undefined;
}

export interface TracerOptions {
  readonly take: TakeSpan;
  /** The share of new traces that are recorded: 0 to 1. */
  readonly ratio: number;
  /** From 0 to 1. Math.random when left out. */
  readonly random?: () => number;
  readonly clock?: Clock;
}

/** Records nothing. The context of callers is passed on. */
export const UNTRACED: Tracer = { begin: readTrace, resume: () => undefined };

/**
 * Anybody may ask for a record by a flag in a header. This many requests of a second get one, of any client, so that
 * nobody can make each request dearer.
 */
const MAX_A_SECOND = 200;

const SERVER: SpanStart = { name: 'request', kind: 'server' };

export function createTracer({ take, ratio, random = Math.random, clock = systemClock }: TracerOptions): Tracer {
  let second = 0;
  let recorded = 0;

  function hasRoom(): boolean {
    const now = Math.floor(clock.now() / 1000);
    if (now !== second) {
      second = now;
      recorded = 0;
    }
    recorded += 1;
    return recorded <= MAX_A_SECOND;
  }

  function start(trace: TraceContext, begun: SpanStart): Span {
    const { traceId, parentId, state } = trace;
    return Span.begin({ traceId, parentId, state, take }, begun);
  }

  return {
    begin(requestId, headers) {
      const given = headers.traceparent === undefined ? beginTrace(requestId) : readTrace(requestId, headers);
      const isChosen = given.parentId === undefined ? random() < ratio : given.flags === '01';
      if (!isChosen || !hasRoom()) return given.flags === '00' ? given : { ...given, flags: '00' };
      return { ...given, flags: '01', span: start(given, SERVER) };
    },
    resume: (trace, begun) => (trace.flags === '01' && hasRoom() ? start(trace, begun) : undefined),
  };
}
