// Waits for the end of an export or import.

import { eventually } from '../http.ts';
import { isTurnedAway } from '../system/at-once.ts';
import type { TestEngine } from './engine.ts';

const MOVES_ON_BY_MS = 500;

/**
 * The first response of a job's address that is neither 202 nor a temporary 503. The engine's clock advances meanwhile.
 * `onResponse` gets each response before.
 */
export function endOfJob<
  A extends { readonly statusCode: number; readonly headers: Readonly<Record<string, unknown>> },
>({ clock, engine }: TestEngine, ask: () => Promise<A>, onResponse: (answer: A) => void = () => {}): Promise<A> {
  return eventually(
    'the job had ended',
    async () => {
      const answer = await ask();
      if (isTurnedAway(answer)) return undefined;
      if (answer.statusCode !== 202) return answer;
      onResponse(answer);
      clock.time += MOVES_ON_BY_MS;
      engine.wake();
      return undefined;
    },
    300_000,
  );
}
