// Detects passwords that are patterns: repetitions, and runs of the alphabet, of digits and of the keyboard.

/** Sequences along which people type, forwards and backwards. */
const TRACKS = [
  'abcdefghijklmnopqrstuvwxyzåäö',
  '01234567890',
  'qwertyuiopå',
  'asdfghjklöä',
  'qwertzuiopü',
  'azertyuiop',
  'qsdfghjklm',
  'zxcvbnm,.-',
  '1qaz',
  '2wsx',
  '3edc',
  '4rfv',
  '5tgb',
  '6yhn',
  '7ujm',
  '!@#$%^&*()',
  '!"#¤%&/()=',
];
const STEPS = stepsOf(TRACKS);
const SHORTEST_RUN = 3;
const LONGEST_SHORT_UNIT = 7;

/** Whether a folded password is one short text again and again, or nothing but runs of at least three. */
export function isPattern(folded: string): boolean {
  const unit = repeatedUnit(folded);
  return (unit !== undefined && unit.length <= LONGEST_SHORT_UNIT) || isMadeOfRuns(folded);
}

/** The text whose repetition a text is (the last may be cut off); undefined for a text that repeats nothing. */
export function repeatedUnit(text: string): string | undefined {
  for (let length = 1; length * 2 <= text.length; length += 1) {
    if (text.slice(length) === text.slice(0, text.length - length)) return text.slice(0, length);
  }
  return undefined;
}

/** What is left after the last run may be shorter: `qwerty12`, `abc123!`. */
function isMadeOfRuns(text: string): boolean {
  const characters = [...text];
  let at = 0;
  while (at < characters.length) {
    const length = runLength(characters, at);
    if (length < SHORTEST_RUN) return at > 0 && characters.length - at < SHORTEST_RUN;
    at += length;
  }
  return characters.length > 0;
}

/** How many characters from here on repeat one or follow one track in one direction. */
function runLength(characters: readonly string[], from: number): number {
  let longest = 1;
  for (const step of stepsAt(characters, from)) {
    let end = from + 1;
    while (end < characters.length && stepsAt(characters, end - 1).includes(step)) end += 1;
    longest = Math.max(longest, end - from);
  }
  return longest;
}

/** The steps from each character to the next. */
function stepsAt(characters: readonly string[], at: number): readonly string[] {
  const [one, next] = [characters[at], characters[at + 1]];
  if (one === undefined || next === undefined) return [];
  return one === next ? ['same'] : (STEPS.get(one + next) ?? []);
}

function stepsOf(tracks: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const steps = new Map<string, string[]>();
  const add = (pair: string, step: string) => steps.set(pair, [...(steps.get(pair) ?? []), step]);
  for (const [index, track] of tracks.entries()) {
    const characters = [...track];
    for (const [at, character] of characters.slice(1).entries()) {
      add(`${characters[at]}${character}`, `${index}+`);
      add(`${character}${characters[at]}`, `${index}-`);
    }
  }
  return steps;
}
