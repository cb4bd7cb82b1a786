// What the expressions of a form give for what is filled in, and the form filled in with it. Pure: the page asks for it
// in a worker.
import type { Evaluate, Place, Variables } from '../../../../fhir/forms/expressions/evaluator.ts';
import { answersFrom } from '../../../../fhir/forms/expressions/results.ts';
import {
  hasExpressions,
  hasInitialExpressions,
  type Solution,
  solveExpressions,
  valuesAtStart,
} from '../../../../fhir/forms/expressions/solve.ts';
import { isSameAnswer } from '../../../../fhir/forms/values.ts';
import { type PlacedItem, placedItems } from '../conditions.ts';
import { type Filled, occurrencesOf, pathOf, withAnswers, withinAnswer, withWithinAnswer } from '../filled.ts';
import type { Answer, Constraint, FillableForm, FormItem } from '../form.ts';
import { type FormSolution, NO_SOLUTION, type Violation } from './form-solution.ts';

/** Whether the form has something that takes an expression or a pattern. */
export function needsSolving({ items, constraints }: FillableForm): boolean {
  return needsFhirPath({ items, constraints: constraints ?? [] }) || everyItem(items).some(hasPattern);
}

/** Whether it takes FHIRPath, and not only patterns. */
export function needsFhirPath({ items, constraints = [] }: FillableForm): boolean {
  const isConstrained = constraints.length > 0 || everyItem(items).some((item) => (item.constraints ?? []).length > 0);
  return isConstrained || hasExpressions(items) || hasInitialExpressions(items);
}

function hasPattern({ limits }: FormItem): boolean {
  return limits?.pattern !== undefined;
}

function everyItem(items: readonly FormItem[]): FormItem[] {
  return items.flatMap((item) => [item, ...everyItem(item.items ?? [])]);
}

/**
 * @param evaluate undefined where the form needs no FHIRPath
 * @param context resources that are known, by their names in the form's launch context
 */
export function solutionOf(
  form: FillableForm,
  filled: Filled,
  evaluate: Evaluate | undefined,
  context: Variables = {},
): FormSolution {
  const places = new Map<string, PlacedItem>();
  const placed = placedItems(form.items, filled, '', places);
  const all = [...places.values()];
  const patterns = all.flatMap(offPattern);
  if (evaluate === undefined) return { ...NO_SOLUTION, violations: patterns };
  const solved = solveExpressions(form, placed, {
    evaluate,
    context,
    takesCalculated: (item) => followsCalculation(item as PlacedItem, filled.solution),
  });
  const started = isAnyNew(filled) ? valuesAtStart(form, evaluate, context) : undefined;
  const own = form.questionnaire === undefined ? {} : { questionnaire: form.questionnaire };
  return {
    disabled: all.filter((item) => !solved.isHeld(item)).map(({ path }) => path),
    calculated: Object.fromEntries(
      all.flatMap((item) => {
        const answers = solved.calculated.get(item);
        return answers === undefined ? [] : [[item.path, answers]];
      }),
    ),
    initial: Object.fromEntries(
      everyItem(form.items).flatMap((item) => {
        const found = started?.values.get(item);
        return found === undefined ? [] : [[item.link_id, answersFrom(item, found)]];
      }),
    ),
    violations: [...patterns, ...violationsIn(form, all, { solved, evaluate, variables: { ...context, ...own } })],
    unknown: Object.fromEntries(
      all.flatMap((item) => {
        const unknown = solved.unknownOf(item);
        return unknown === undefined ? [] : [[item.path, unknown]];
      }),
    ),
    excused: all.filter((item) => solved.enabling.isExcused(item)).map(({ path }) => path),
    unknownAtStart:
      started === undefined
        ? (filled.solution?.unknownAtStart ?? [])
        : [...started.unknown].map(({ link_id: name }) => name),
  };
}

/** A person who has written another answer keeps it. */
function followsCalculation({ item, path, answers }: PlacedItem, before: FormSolution | undefined): boolean {
  if (item.read_only || item.hidden === true || answers.length === 0) return true;
  const last = before?.calculated[path];
  return last !== undefined && areSame(last, answers);
}

function areSame(left: readonly Answer[], right: readonly Answer[]): boolean {
  return left.length === right.length && left.every((answer, index) => isSameAnswer(answer, right[index] ?? {}));
}

/** The whole text has to match. A pattern that cannot be read forbids nothing. */
function offPattern({ item, path, answers }: PlacedItem): Violation[] {
  const pattern = item.limits?.pattern;
  if (pattern === undefined) return [];
  try {
    const whole = new RegExp(`^(?:${pattern})$`, 'u');
    const isOff = answers.some(
      (answer) => typeof answer['valueString'] === 'string' && !whole.test(answer['valueString']),
    );
    return isOff ? [{ path: `${path}.0`, severity: 'error' }] : [];
  } catch {
    return [];
  }
}

interface Solving {
  readonly solved: Solution;
  readonly evaluate: Evaluate;
  readonly variables: Variables;
}

function violationsIn({ constraints = [] }: FillableForm, all: readonly PlacedItem[], solving: Solving): Violation[] {
  const { response, partsOf, enabling } = solving.solved;
  const whole = { base: 'QuestionnaireResponse', value: response, path: '' } as const;
  return [
    ...violated(constraints, whole, solving),
    ...all.flatMap((placed) =>
      placed.item.constraints === undefined || !enabling.isEnabled(placed)
        ? []
        : partsOf(placed).flatMap((value, index) => {
            const path = `${placed.path}.${index}`;
            return violated(
              placed.item.constraints ?? [],
              { base: 'QuestionnaireResponse.item', value, path },
              solving,
            );
          }),
    ),
  ];
}

/** One that cannot be evaluated forbids nothing. */
function violated(
  constraints: readonly Constraint[],
  { path, ...place }: Pick<Place, 'base' | 'value'> & { readonly path: string },
  { solved, evaluate, variables }: Solving,
): Violation[] {
  return constraints.flatMap(({ expression, message, severity }) => {
    try {
      const [first] = evaluate(expression, { ...place, resource: solved.response, variables });
      return JSON.stringify(first) === 'false' ? [{ path, message, severity }] : [];
    } catch {
      return [];
    }
  });
}

function isAnyNew({ isNew, items, more = [] }: Filled): boolean {
  if (isNew === true) return true;
  return [items, ...more].some((inner) => Object.values(inner).some((all) => all.some(isAnyNew)));
}

/** The form with what its expressions give; the same object where nothing changes. */
export function withSolution(items: readonly FormItem[], filled: Filled, solution: FormSolution): Filled {
  const { isNew: _, ...rest } = withValues(items, filled, {
    path: '',
    isNew: false,
    before: filled.solution,
    solution,
  });
  const next: Filled = { ...rest, solution };
  return JSON.stringify(next) === JSON.stringify(filled) ? filled : next;
}

interface Taking {
  readonly path: string;
  readonly isNew: boolean;
  readonly before: FormSolution | undefined;
  readonly solution: FormSolution;
}

function withValues(items: readonly FormItem[], parent: Filled, taking: Taking): Filled {
  const isNew = taking.isNew || parent.isNew === true;
  const entries = items.map((item): [string, readonly Filled[]] => {
    const path = `${taking.path}/${item.link_id}`;
    const all = occurrencesOf(parent, item).map((occurrence, index) => {
      const own = item.type === 'group' ? occurrence : withOwnValues(item, occurrence, { ...taking, path, isNew });
      if ((item.items ?? []).length === 0) return own;
      const inner = (within: Filled, at: number) =>
        withValues(item.items ?? [], within, { ...taking, isNew, path: pathOf(taking.path, item.link_id, at) });
      if (item.type === 'group') {
        const { isNew: _, ...plain } = inner(own, index);
        return plain;
      }
      return own.answers.reduce<Filled>(
        (next, _, at) => withWithinAnswer(item, next, at, inner(withinAnswer(item, next, at), at)),
        own,
      );
    });
    return [item.link_id, all];
  });
  return { ...parent, items: Object.fromEntries(entries) };
}

function withOwnValues(item: FormItem, occurrence: Filled, { path, isNew, before, solution }: Taking): Filled {
  const { answers } = occurrence;
  const first = solution.initial[item.link_id];
  if (isNew && first !== undefined && answers.length === 0) return withAnswers(item, occurrence, first);
  const next = solution.calculated[path];
  const occurrences = [{ answer: undefined, items: [] }];
  if (next === undefined || areSame(next, answers)) return occurrence;
  return followsCalculation({ item, path, answers, occurrences }, before)
    ? withAnswers(item, occurrence, next)
    : occurrence;
}
