// Limits the size of a bundle's response. Each entry is bounded by itself, but 5,000 searches together would fill the
// memory.
import { ServiceError } from '#lib/errors.ts';
import type { FhirResponse } from '../interactions/call.ts';
import { lengthOfText } from '../response-text.ts';

const MAX_CHARACTERS = 64 * 1024 * 1024;

export interface ResponseBudget {
  /** Whether the budget is used up. */
  isFull(): boolean;
  /** Spends the length of the response's body. Returns false when the budget has less than that: it is then used up. */
  take(answer: FhirResponse): boolean;
}

/** Creates the budget of one bundle's response. */
export function createResponseBudget(): ResponseBudget {
  let left = MAX_CHARACTERS;
  return {
    isFull: () => left <= 0,
    take: ({ text = '' }) => {
      left -= lengthOfText(text);
      return left >= 0;
    },
  };
}

/** The error of an entry whose body exceeds the budget. */
export function overBudget(): ServiceError {
  const message = `The answer to a bundle has at most ${MAX_CHARACTERS / 1024 / 1024} MiB; ask for less at a time`;
  return new ServiceError('payload_too_large', message, { issues: [{ message, code: 'too-costly' }] });
}
