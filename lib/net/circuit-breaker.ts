// A circuit breaker. After several failures in a row a server is not called for a while. Then one call at a time tries
// it, and a success closes the circuit. Callers get an error at once, and the server can recover.
import { type Clock, elapsedOf } from '../clock.ts';

export type CircuitState = 'closed' | 'open' | 'half_open';

export interface CircuitBreaker {
  /** `open`: no calls; `half_open`: the next call is the trial. */
  state(): CircuitState;
  /** Takes the right to call. Undefined while the circuit is open; {@link waitMs} then returns for how long. */
  enter(): Attempt | undefined;
  /** Milliseconds until the next attempt is allowed; 0 when one is. */
  waitMs(): number;
}

/** One call. Exactly one of these ends it. */
export interface Attempt {
  succeeded(): void;
  failed(): void;
  /** The call ended without a result about the server. */
  abandoned(): void;
}

export interface CircuitBreakerOptions {
  readonly clock: Clock;
  /** The number of failures in a row that opens it. */
  readonly threshold: number;
  /** How long it stays open the first time; twice as long after each attempt that fails, up to `maxOpenMs`. */
  readonly openMs: number;
  readonly maxOpenMs: number;
}

export function createCircuitBreaker({ clock, threshold, openMs, maxOpenMs }: CircuitBreakerOptions): CircuitBreaker {
  let failures = 0;
  /** How often it was opened since the last success. */
  let openings = 0;
  let openUntil: number | undefined;
  let isTrying = false;

  function waitMs(): number {
    return openUntil === undefined ? 0 : Math.max(0, openUntil - elapsedOf(clock));
  }

  function state(): CircuitState {
    if (openUntil === undefined) return 'closed';
    return waitMs() > 0 || isTrying ? 'open' : 'half_open';
  }

  function fail(isTrial: boolean): void {
    failures += 1;
    // Results of calls that began before it opened are ignored.
    const opens = isTrial || (openUntil === undefined && failures >= threshold);
    if (!opens) return;
    openUntil = elapsedOf(clock) + Math.min(openMs * 2 ** openings, maxOpenMs);
    openings = Math.min(openings + 1, 30);
  }

  function reset(): void {
    failures = 0;
    openings = 0;
    openUntil = undefined;
  }

  function attempt(isTrial: boolean): Attempt {
    let isEnded = false;
    const end = (then: () => void) => () => {
      if (isEnded) return;
      isEnded = true;
      if (isTrial) isTrying = false;
      then();
    };
    return { succeeded: end(reset), failed: end(() => fail(isTrial)), abandoned: end(() => undefined) };
  }

  return {
    state,
    waitMs,
    enter() {
      const now = state();
      if (now === 'open') return undefined;
      if (now === 'half_open') isTrying = true;
      return attempt(now === 'half_open');
    },
  };
}
