// Runs the examples of a reference page as a reader does: with bash and curl, in the page's order, over HTTP.
//
// How to write an example (docs/reference/identity.md shows it): 1. An `sh` block with one curl, or one command of
// operators (`kedja …`). Under it, where it matters, `# 201` for a status other than 200 and `# name: value` for a
// header. 2. Right after it the answer in a block `json`, `csv`, `html` or `text`, whole: every field, and each row or
// `…` for the further ones. Without an answer block the status must be shown. A file to send comes from a
// here-document: `curl -F file=@- … <<'CSV'`. 3. `…` is what differs, `0190…` a guid, a time any time in the same form.
// `$name` in small letters is the field of that name in the latest answer that had one. Otherwise it is the parameter
// in the address it leads to. 4. Variables in capitals come from the page's test (test/reference/identity.test.ts),
// which also prepares the people.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { differences, matchesLines, matchesText, readPattern } from './comparison.ts';
import { type Example, readExamples } from './examples.ts';

const LIMIT_MS = 20_000;
const OPERATORS_COMMAND = path.join(import.meta.dirname, '../../kedja.mjs');
// What curl before 7.82 does not know is said in the words that it does.
const CURL = `
curl() {
  local words=()
  while (($#)); do
    if [ "$1" = --json ]; then words+=(-H 'content-type: application/json' -d "$2"); shift 2; else words+=("$1"); shift; fi
  done
  command curl -sS -D "$HEADER_FILE" "\${words[@]}"
}
# Its success counts as the status 200.
kedja() { "$NODE" "$OPERATORS_COMMAND" "$@" && printf 'HTTP/1.1 200 OK\\r\\n' > "$HEADER_FILE"; }
`;

export interface ReferencePage {
  /** The path from the root of the repository. */
  readonly page: string;
  /** The environment of operators' commands. */
  readonly site?: Readonly<Record<string, string>>;
  /** The variables in capitals; a function makes the value when it is needed, from the fields of the answers so far. */
  readonly variables: Readonly<
    Record<string, string | ((fields: ReadonlyMap<string, string>) => string | Promise<string>)>
  >;
}

interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Runs every example of the page as a subtest that is named by its line. */
export async function testReferencePage(t: TestContext, { page, variables, site }: ReferencePage): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-reference-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const fields = new Map<string, string>();
  for (const example of readExamples(await readFile(path.join(import.meta.dirname, '../..', page), 'utf8'))) {
    await t.test(`${page}:${example.line} ${example.address}`, async () => {
      const environment = { ...(await valuesFor(example.command, variables, fields)), ...site };
      const answer = await runCommand(example.command, environment, path.join(folder, 'headers'));
      const json = answer.body.trim() === '' || !isJson(answer) ? undefined : (JSON.parse(answer.body) as unknown);
      keepFields(json, fields);
      keepQuery(answer.headers.get('location'), fields);
      check(example, answer, json);
    });
  }
}

/** What a command's variables stand for. */
async function valuesFor(
  command: string,
  variables: ReferencePage['variables'],
  fields: ReadonlyMap<string, string>,
): Promise<Record<string, string>> {
  // What is written as \$name is no variable to the shell.
  const names = [...command.matchAll(/(?<!\\)\$\{?(\w+)/g)].map(([, name = '']) => name);
  const pairs = await Promise.all(
    names.map(async (name) => {
      const given = variables[name];
      const value = typeof given === 'function' ? await given(fields) : (given ?? fields.get(name));
      assert.ok(value !== undefined, `$${name} is no field of an answer above and no variable of the page`);
      return [name, value];
    }),
  );
  return Object.fromEntries(pairs);
}

async function runCommand(command: string, environment: Record<string, string>, headerFile: string): Promise<Answer> {
  const { PATH = '' } = process.env;
  const bash = spawn('bash', ['-c', `set -euo pipefail${CURL}${command}`], {
    env: { PATH, NODE: process.execPath, OPERATORS_COMMAND, ...environment, HEADER_FILE: headerFile },
    timeout: LIMIT_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let body = '';
  let errors = '';
  bash.stdout.setEncoding('utf8').on('data', (text: string) => (body += text));
  bash.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const code = await new Promise((resolve, reject) => bash.once('error', reject).once('close', resolve));
  assert.equal(code, 0, `the examples need bash and curl; this one ended with ${code}:\n${errors}`);
  const [statusLine = '', ...lines] = (await readFile(headerFile, 'latin1')).trim().split('\r\n');
  const headers = lines.map(
    (line) => [line.split(':')[0]?.toLowerCase() ?? '', line.replace(/^[^:]*:\s*/, '')] as const,
  );
  return { status: Number(statusLine.split(' ')[1]), headers: new Map(headers), body };
}

function isJson({ headers }: Answer): boolean {
  return (headers.get('content-type') ?? '').includes('json');
}

/** Keeps the first value of every field, so that later examples can name it. */
function keepFields(json: unknown, fields: Map<string, string>): void {
  const found = new Map<string, string>();
  JSON.stringify(json, (name, value: unknown) => {
    if (typeof value === 'string' && !found.has(name)) found.set(name, value);
    return value;
  });
  for (const [name, value] of found) fields.set(name, value);
}

/** What an answer adds to the address that it leads to. */
function keepQuery(location: string | undefined, fields: Map<string, string>): void {
  if (location === undefined || !URL.canParse(location)) return;
  for (const [name, value] of new URL(location).searchParams) fields.set(name, value);
}

function check(example: Example, answer: Answer, json: unknown): void {
  assert.equal(answer.status, example.status, `the status is another; the answer is\n${answer.body}`);
  for (const [name, value] of example.headers) {
    const actual = answer.headers.get(name) ?? '(none)';
    assert.ok(matchesText(actual, value), `the header ${name} is ${actual}`);
  }
  if (example.answer === undefined) return;
  const { kind, body } = example.answer;
  if (kind === 'json') {
    assert.deepEqual(differences(json, readPattern(body)), [], `the answer is\n${JSON.stringify(json, null, 2)}`);
  } else assert.ok(matchesLines(answer.body, body), `the answer is\n${answer.body}`);
}
