// Spans of the steps of a request: statements of the database, calls to other services, shared work. Where the request
// is not recorded, they cost one look at its context.
import type { PreparedStatement } from '../db/database.ts';
import { summarize } from './query-summary.ts';
import type { Span, SpanStart } from './span.ts';
import { currentSpan } from './trace-context.ts';

/** Begins a step of the current request; undefined where it is not recorded. */
export function beginStep(start: SpanStart): Span | undefined {
  return currentSpan()?.child(start);
}

/** Begins the step of one statement. Its values and its text are not recorded. */
export function beginStatement(statement: string | PreparedStatement): Span | undefined {
  const parent = currentSpan();
  if (parent === undefined) return undefined;
  const summary = summarize(typeof statement === 'string' ? statement : statement.text);
  const named = typeof statement === 'string' ? {} : { 'kedja.statement': statement.name };
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary, ...named };
  return parent.child({ name: summary, kind: 'client', attributes });
}

/** The class of an error for `error.type`: its code, such as a SQLSTATE, or its name. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
