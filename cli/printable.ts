// Texts and numbers as a terminal shows them.

/** Replaces control characters, by which a file could steer the operator's terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\uFFFD');
}

/** A number with a comma before each three digits: `12,345`. */
export function count(number: number): string {
  return number.toLocaleString('en');
}
