// Evaluates a form's expressions and patterns apart from the page: whatever their author wrote, the page answers. What
// takes too long is ended from there (./solver.ts). FHIRPath is loaded for the first form that needs it.
import { type Evaluate, evaluatorOf, type Variables } from '../../../../fhir/forms/expressions/evaluator.ts';
import type { Filled } from '../filled.ts';
import type { FillableForm } from '../form.ts';
import { needsFhirPath, solutionOf } from './solution.ts';

/** Loads what the next question needs, solves a form, or reads an expression. */
export type Question =
  | { readonly kind: 'load' }
  | { readonly kind: 'solve'; readonly form: FillableForm; readonly filled: Filled; readonly context: Variables }
  | { readonly kind: 'read'; readonly expression: string };

interface Loaded {
  readonly evaluate: Evaluate;
  readonly parse: (expression: string) => unknown;
}

let loaded: Promise<Loaded> | undefined;

async function load(): Promise<Loaded> {
  const [{ default: fhirpath }, { default: model }] = await Promise.all([
    import('fhirpath'),
    import('fhirpath/fhir-context/r5'),
  ]);
  return { evaluate: evaluatorOf(fhirpath, model), parse: (expression) => fhirpath.parse(expression) };
}

async function answer(question: Question): Promise<unknown> {
  if (question.kind === 'solve' && !needsFhirPath(question.form))
    return solutionOf(question.form, question.filled, undefined);
  loaded ??= load();
  const { evaluate, parse } = await loaded;
  if (question.kind === 'load') return undefined;
  if (question.kind === 'solve') return solutionOf(question.form, question.filled, evaluate, question.context);
  return unreadableAt(question.expression, parse);
}

/** Where an expression cannot be read, counted from 1; undefined for one that can. */
function unreadableAt(expression: string, parse: Loaded['parse']): number | undefined {
  try {
    parse(expression);
    return undefined;
  } catch (error) {
    const [, line, column] = /line: (\d+); column: (\d+)/.exec(String(error)) ?? [];
    const before = expression.split('\n').slice(0, Number(line ?? 1) - 1);
    return before.reduce((sum, each) => sum + each.length + 1, 0) + Number(column ?? 0) + 1;
  }
}

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  answer(data).then(
    (result) => postMessage({ result }),
    () => postMessage({ failed: true }),
  );
});
