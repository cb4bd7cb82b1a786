// Answers of operations that are the same for everybody who asks the same, kept as long as nothing that they were made of changes: what a code is
// called is asked a thousand times a day.

export interface AnswerMemory {
  /** The answer's text, or its bytes where it is long; undefined when there is none of this state. */
  find(question: string, state: number): string | Buffer | undefined;
  keep(question: string, answer: string, state: number): void;
}

interface Kept {
  readonly answer: string | Buffer;
  /** Whether it was asked for since room was last made at its place. */
  isAskedFor: boolean;
}

/** Characters, those of the questions included. */
const LIMIT = 64 * 1024 * 1024;
/** No answer takes more than this part of what is kept. */
const MOST_OF_LIMIT = 1 / 32;
/** From this length on an answer is kept as bytes, as it is then sent. */
const LONG_TEXT = 4096;

/** Keeps at most `limit` characters. Room is made in the order of arrival, past what was asked for again since it was passed last. */
export function createAnswerMemory(limit = LIMIT): AnswerMemory {
  let state = 0;
  let size = 0;
  let kept = new Map<string, Kept>();

  function begin(latest: number): void {
    [state, size, kept] = [latest, 0, new Map()];
  }

  function makeRoom(): void {
    for (const [question, each] of kept) {
      if (size <= limit) return;
      kept.delete(question);
      if (each.isAskedFor) {
        // Behind all others: it is passed once more before it goes.
        each.isAskedFor = false;
        kept.set(question, each);
      } else size -= question.length + each.answer.length;
    }
  }

  return {
    find: (question, latest) => {
      if (latest !== state) begin(latest);
      const found = kept.get(question);
      if (found === undefined) return undefined;
      found.isAskedFor = true;
      return found.answer;
    },
    keep: (question, text, madeOf) => {
      // What was made of another state than the present one is past; two may have asked the same at once.
      if (madeOf !== state || kept.has(question)) return;
      const answer = text.length < LONG_TEXT ? text : Buffer.from(text);
      const weight = question.length + answer.length;
      if (weight > limit * MOST_OF_LIMIT) return;
      size += weight;
      kept.set(question, { answer, isAskedFor: false });
      makeRoom();
    },
  };
}
