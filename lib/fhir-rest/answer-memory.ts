// Answers of operations that are the same for everybody who asks the same, kept as long as nothing that they were made of changes: what a code is
// called is asked a thousand times a day.

export interface AnswerMemory {
  /** The answer's text, or its bytes where it is long; undefined when there is none of this state. */
  find(question: string, state: number): string | Buffer | undefined;
  keep(question: string, answer: string, state: number): void;
}

/** Characters, those of the questions included. */
const LIMIT = 32 * 1024 * 1024;
/** No answer takes more than this part of what is kept. */
const MOST_OF_LIMIT = 1 / 32;
/** From this length on an answer is kept as bytes, as it is then sent. */
const LONG_TEXT = 4096;

/** Keeps at most `limit` characters: those that were asked for since the older half was let go, and that half. */
export function createAnswerMemory(limit = LIMIT): AnswerMemory {
  let state = 0;
  let size = 0;
  let young = new Map<string, string | Buffer>();
  let old: typeof young = new Map();

  function begin(latest: number): void {
    [state, size, young, old] = [latest, 0, new Map(), new Map()];
  }

  function put(question: string, answer: string | Buffer): void {
    const weight = question.length + answer.length;
    if (weight > limit * MOST_OF_LIMIT) return;
    if (size + weight > limit / 2) [old, young, size] = [young, new Map(), 0];
    size += weight;
    young.set(question, answer);
  }

  return {
    find: (question, latest) => {
      if (latest !== state) begin(latest);
      const found = young.get(question);
      if (found !== undefined) return found;
      const older = old.get(question);
      if (older !== undefined) put(question, older);
      return older;
    },
    keep: (question, answer, madeOf) => {
      // What was made of another state than the present one is past.
      if (madeOf === state) put(question, answer.length < LONG_TEXT ? answer : Buffer.from(answer));
    },
  };
}
