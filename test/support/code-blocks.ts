// Reads the fenced code blocks of a page of docs/ with their lines, for the tests that run tutorials and reference
// pages.

export interface CodeBlock {
  /** The info string of the opening fence: `sh`, `json`, … */
  readonly kind: string;
  /** Every line ends in a line feed. */
  readonly body: string;
  /** Its first and last line on the page, fences included, counted from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
}

export function readCodeBlocks(page: string): CodeBlock[] {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [whole, kind = '', body = ''] = match;
    const firstLine = page.slice(0, match.index).split('\n').length;
    return { kind, body, firstLine, lastLine: firstLine + whole.split('\n').length - 1 };
  });
}
