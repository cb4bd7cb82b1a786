/** What stands in a file must not steer the operator's terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\uFFFD');
}
