// Keeps a form that is being filled in up to date with its expressions.
import { useEffect, useRef, useState } from 'react';
import type { Variables } from '../../../../fhir/forms/expressions/evaluator.ts';
import type { Filled } from '../filled.ts';
import type { FillableForm } from '../form.ts';
import { type FormSolution, NO_SOLUTION } from './form-solution.ts';
import { needsSolving, withSolution } from './solution.ts';
import { solve } from './solver.ts';

/** Failures in a row after which a form is filled in without its expressions; the service checks the answers. */
const MOST_FAILURES = 2;

interface Solving {
  readonly isReadOnly: boolean;
  /** Resources by their names in the launch context; undefined while they are read. */
  readonly context: Variables | undefined;
  readonly onChange: (next: Filled) => void;
}

/** The form with what its expressions give; what they change is handed to `onChange`, unless nobody may change it. */
export function useSolved(form: FillableForm, filled: Filled, { isReadOnly, context, onChange }: Solving): Filled {
  const [own, setOwn] = useState<FormSolution>();
  const change = useRef(onChange);
  change.current = onChange;
  const failures = useRef({ form, count: 0 });
  useEffect(() => {
    if (failures.current.form !== form) failures.current = { form, count: 0 };
    const take = (solution: FormSolution) => {
      if (isReadOnly) return setOwn(solution);
      const next = withSolution(form.items, filled, solution);
      if (next !== filled) change.current(next);
    };
    if (!needsSolving(form) || context === undefined) return;
    const giveUp = new AbortController();
    const isGivenUp = failures.current.count >= MOST_FAILURES;
    const found = isGivenUp ? Promise.resolve(NO_SOLUTION) : solve(form, { filled, context }, giveUp.signal);
    found.then(
      (solution) => {
        if (giveUp.signal.aborted) return;
        if (!isGivenUp) failures.current.count = 0;
        take(solution);
      },
      () => {
        if (giveUp.signal.aborted) return;
        failures.current.count += 1;
        take(NO_SOLUTION);
      },
    );
    return () => giveUp.abort();
  }, [form, filled, isReadOnly, context]);
  return isReadOnly && own !== undefined ? { ...filled, solution: own } : filled;
}
