// Work in steps, as a generator: its caller chooses where to pause.

/** The result of the steps, run without a pause. */
export function allOf<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
