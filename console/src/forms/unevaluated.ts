// What of a form its expressions cannot decide here. The author's expression is in another language than FHIRPath, or
// looks at something that is not known.
import type { Unknown } from '../../../fhir/forms/expressions/solve.ts';
import { unevaluatedOf } from '../../../fhir/forms/expressions/unevaluated.ts';
import type { FormSolution } from './expressions/form-solution.ts';
import type { FormItem } from './form.ts';

export interface NotEvaluated {
  /** By the path of the item. */
  readonly unknown: ReadonlyMap<string, Unknown>;
  /** The paths of the items for which no answer can be asked. */
  readonly excused: ReadonlySet<string>;
  /** By `link_id`. */
  readonly atStart: ReadonlySet<string>;
}

/** A form that was kept by an earlier release has less. */
export function notEvaluatedIn(solution: Partial<FormSolution> = {}): NotEvaluated {
  return {
    unknown: new Map(Object.entries(solution.unknown ?? {})),
    excused: new Set(solution.excused),
    atStart: new Set(solution.unknownAtStart),
  };
}

const NOTES = {
  enabled: 'form.unevaluated.enabled',
  calculated: 'form.unevaluated.calculated',
  fixed: 'form.unevaluated.fixed',
  initial: 'form.unevaluated.initial',
  other: 'form.unevaluated.other',
} as const;

/** The text that names what the person who fills in the item has to decide; undefined where there is nothing. */
export function noteOf(
  item: FormItem,
  path: string,
  { unknown, atStart }: NotEvaluated,
): (typeof NOTES)[keyof typeof NOTES] | undefined {
  const found = unevaluatedOf({
    notRun: item.not_run,
    unknown: unknown.get(`${path}/${item.link_id}`),
    isUnknownAtStart: atStart.has(item.link_id),
    isFixed: item.read_only,
  });
  return found === undefined ? undefined : NOTES[found];
}
