// Reads the examples of a reference page. An example is a call (`sh`, one curl or one kedja) and, after at most one
// empty line, the answer that it gets.
import { type CodeBlock, readCodeBlocks } from '#test/support/code-blocks.ts';

export interface Example {
  /** The line of the page where it begins, counted from 1. */
  readonly line: number;
  readonly command: string;
  /**
   * What the command calls, as in the page's table: `GET /api/x/{}`, every variable part of the path as `{}`. Of an
   * operator's command what it does: `kedja users reset-password`.
   */
  readonly address: string;
  readonly status: number;
  /** Headers that the page shows: small name and expected value. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly answer?: { readonly kind: string; readonly body: string };
}

/** The addresses of a reference page's table, as they are written there: `GET /api/x/{guid}`. */
export function readAddressTable(page: string): string[] {
  return [...page.matchAll(/^\| `([A-Z]+ \S+)` \|/gm)].map(([, address = '']) => address);
}

/** An address of the table in the form of `Example.address`. */
export function withoutNames(address: string): string {
  return address.replaceAll(/\$?\{[^}]*\}|\$\w+/g, '{}');
}

/**
 * The examples in the page's order.
 * @throws Error naming the line of a block that is neither a call nor the answer to the call before it
 */
export function readExamples(page: string): Example[] {
  const blocks = readCodeBlocks(page);
  const examples: Example[] = [];
  for (let index = 0; index < blocks.length; ) {
    const [block, next] = blocks.slice(index);
    if (block === undefined) break;
    const answer = next !== undefined && isAnswer(block, next) ? next : undefined;
    examples.push(readExample(block, answer));
    index += answer === undefined ? 1 : 2;
  }
  return examples;
}

function isAnswer(call: CodeBlock, block: CodeBlock): boolean {
  return block.kind !== 'sh' && block.firstLine - call.lastLine <= 2;
}

function readExample(call: CodeBlock, answer: CodeBlock | undefined): Example {
  const { body: command, firstLine: line } = call;
  const refuse = (why: string) => new Error(`line ${line}: ${why}`);
  if (call.kind !== 'sh') throw refuse(`this ${call.kind} block follows no call`);
  if ((command.match(/^(?:curl|kedja) /gm) ?? []).length !== 1)
    throw refuse('an example is one curl or one kedja, at the beginning of a line');
  const comments = [...command.matchAll(/^# (.+)$/gm)].map(([, text = '']) => text);
  const headers = comments
    .map((text) => /^([a-z-]+): (.+)$/.exec(text)?.slice(1))
    .filter((found) => found !== undefined);
  const status = Number(comments.find((text) => /^\d{3}$/.test(text)) ?? 200);
  if (answer === undefined && status === 200) throw refuse('this call has no answer');
  return {
    line,
    command,
    address: readAddress(command, refuse),
    status,
    headers: headers.map(([name = '', value = '']) => [name, value]),
    ...(answer === undefined ? {} : { answer: { kind: answer.kind, body: answer.body } }),
  };
}

function readAddress(command: string, refuse: (why: string) => Error): string {
  const [operation] = /^kedja \S+ \S+/m.exec(command) ?? [];
  if (operation !== undefined) return operation;
  const path = /\$[A-Z]+(\/[^\s'"?]*)/.exec(command)?.[1];
  if (path === undefined) throw refuse('the address begins with a variable, as $IDENTITY/api/…');
  const named = /\s-X (\w+)/.exec(command)?.[1];
  const hasBody = /\s(?:--json|--data\S*|-d|-F)\s/.test(command);
  return withoutNames(`${named ?? (hasBody ? 'POST' : 'GET')} ${path}`);
}
