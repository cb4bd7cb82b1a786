// State machines as data (decision D3): rows of from, event, guard, to and effects, and the function that evaluates
// them.

export interface Transition<S extends string, E extends string, G extends string, F extends string> {
  readonly from: readonly S[];
  readonly event: E;
  /** Must hold for the transition to apply. */
  readonly guard?: G;
  /** The next state; left out where it does not change. */
  readonly to?: S;
  /** Effects of the transition, in order. */
  readonly effects: readonly F[];
}

export type Outcome<S extends string, G extends string, F extends string> =
  | { readonly kind: 'moved'; readonly to: S; readonly effects: readonly F[] }
  /** There is a row, but its guard does not hold. */
  | { readonly kind: 'guarded'; readonly guard: G }
  /** No row: the event is refused in this state. */
  | { readonly kind: 'refused' };

/** Evaluates `event` in `state`; `holds` evaluates the row's guard. Pure. */
export function decideTransition<S extends string, E extends string, G extends string, F extends string>(
  table: readonly Transition<S, E, G, F>[],
  state: S,
  event: E,
  holds: (guard: G) => boolean,
): Outcome<S, G, F> {
  const row = table.find((candidate) => candidate.event === event && candidate.from.includes(state));
  if (row === undefined) return { kind: 'refused' };
  if (row.guard !== undefined && !holds(row.guard)) return { kind: 'guarded', guard: row.guard };
  return { kind: 'moved', to: row.to ?? state, effects: row.effects };
}
