// The fenced code blocks of a page of docs/, with where they stand: what the tests of tutorials and reference pages
// run.

export interface CodeBlock {
  /** What stands behind the opening fence: `sh`, `json`, … */
  readonly kind: string;
  /** Every line ends in a line feed. */
  readonly body: string;
  /** The lines of the page between which it stands, fences included, counted from 1. */
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
