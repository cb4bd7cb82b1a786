/** Replaces control characters, by which a file could steer the operator's terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\uFFFD');
}
