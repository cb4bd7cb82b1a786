// Work that several requests share, such as a group commit, in the traces of those that are recorded.
import type { Span } from './span.ts';
import { currentTrace, runInTrace, type TraceContext } from './trace-context.ts';

/** The recorded request of a caller. */
export interface RecordedCaller {
  readonly context: TraceContext;
  readonly span: Span;
}

/** The caller, where its request is recorded. */
export function recordedCaller(): RecordedCaller | undefined {
  const context = currentTrace();
  return context?.span?.isEnded === false ? { context, span: context.span } : undefined;
}

/**
 * Runs work for several callers, each of which gets a span with its duration. The steps of the work are in the trace of
 * the first. The spans of the others have a link to its span.
 */
export async function shareStep<T>(
  callers: readonly RecordedCaller[],
  { name, size }: { readonly name: string; readonly size: number },
  work: () => Promise<T>,
): Promise<T> {
  const [first, ...others] = callers;
  if (first === undefined) return work();
  const start = { name, kind: 'internal', attributes: { 'kedja.group.size': size } } as const;
  const own = first.span.child(start);
  const linked = others.map(({ span }) => span.child({ ...start, link: own }));
  try {
    return await (own === undefined ? work() : runInTrace({ ...first.context, span: own }, work));
  } finally {
    for (const span of [own, ...linked]) span?.end();
  }
}
