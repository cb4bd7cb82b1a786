// Runs docs/tutorials/first-request.md and then receive-webhooks.md. Their commands run one after the other in one bash
// against `kedja demo`, as a reader runs them. The test looks for what the pages say one sees. It is part of the test
// file that starts the demo (test/demo/command.test.ts).
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { readCodeBlocks } from '#test/support/code-blocks.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { freePorts } from '#test/support/system/free-ports.ts';

const PAGES = path.join(import.meta.dirname, '../../docs/tutorials');
/** Of all commands of a page, on a busy machine. */
const LIMIT_MS = 300_000;

interface Step {
  readonly commands: string;
  /** The lines that the commands print, where the page shows them; `…` stands for anything. */
  readonly shown: readonly string[];
}

function readSteps(page: string): Step[] {
  const steps: { commands: string; shown: string[] }[] = [];
  for (const { kind, body } of readCodeBlocks(page)) {
    if (kind === 'sh') steps.push({ commands: body, shown: [] });
    else if (kind === 'text') steps.at(-1)?.shown.push(...body.split('\n').filter((line) => line.trim() !== ''));
  }
  return steps;
}

/** The outputs of the steps; rejects with what went wrong when a command fails. */
async function runSteps(
  steps: readonly Pick<Step, 'commands'>[],
  environment: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<string[]> {
  const mark = '---- end of step ----';
  const script = ['set -euo pipefail', ...steps.map(({ commands }) => `${commands}echo '${mark}'`)].join('\n');
  const { PATH = '' } = process.env;
  const node = path.dirname(process.execPath);
  const bash = spawn('bash', ['-c', script], {
    env: { ...environment, PATH: `${node}:${PATH}` },
    timeout: LIMIT_MS,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  bash.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  bash.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const code = await new Promise((resolve) => bash.once('close', resolve));
  const outputs = output.split(`${mark}\n`);
  assert.equal(code, 0, `step ${outputs.length} failed:\n${outputs.at(-1)}${errors}`);
  return outputs.slice(0, -1);
}

function matches(line: string, shown: string): boolean {
  const [first = '', ...rest] = shown.trim().split('…');
  const isInOrder = rest.every((part) => line.includes(part));
  return rest.length === 0 ? line.includes(first) : line.includes(first) && isInOrder;
}

/** @param gateway of a demo that runs */
export function testTutorials(gateway: string): void {
  test('the tutorial works as it is written', async (t) => {
    const steps = readSteps(await readFile(path.join(PAGES, 'first-request.md'), 'utf8'));
    const outputs = await runSteps(steps, { KEDJA: gateway });
    assert.equal(outputs.length, steps.length);
    assert.ok(steps.filter(({ shown }) => shown.length > 0).length >= 8, 'most steps show what one sees');
    for (const [index, { commands, shown }] of steps.entries()) {
      const lines = (outputs[index] ?? '').split('\n');
      for (const expected of shown) {
        assert.ok(
          lines.some((line) => matches(line, expected)),
          `"${expected}" was not seen after:\n${commands}\nbut:\n${outputs[index]}`,
        );
      }
    }
    await t.test('and so does receiving webhooks', async () => {
      const folder = await temporaryDataDir();
      try {
        const [page] = (await readFile(path.join(PAGES, 'receive-webhooks.md'), 'utf8')).split('## 7.');
        const blocks = readCodeBlocks(page ?? '');
        const receiver = blocks.find(({ kind }) => kind === 'js');
        await writeFile(path.join(folder, 'receiver.mjs'), receiver?.body ?? '');
        const commands = blocks.filter(({ kind }) => kind === 'sh').map(({ body }) => ({ commands: body }));
        assert.ok(commands.length >= 5);
        // The receiver says where it listens before anything is sent to it, and what it got before it is ended.
        const said = (words: string) => ({ commands: `until grep -q '${words}' received; do sleep 0.1; done\n` });
        const [register, start, ping, ...rest] = commands.map((step) => ({
          commands: step.commands.replace('receiver.mjs &', 'receiver.mjs > received &'),
        }));
        assert.ok(register !== undefined && start !== undefined && ping !== undefined);
        const steps = [register, start, said('listening'), ping, said('ping'), ...rest, { commands: 'kill $!\n' }];
        const [port] = await freePorts(1);
        const outputs = await runSteps(steps, { KEDJA: gateway, PORT: String(port) }, folder);
        const shown = outputs.join('');
        for (const expected of ['"type":"ping"', '"status":"completed"', '"next_cursor"'])
          assert.ok(shown.includes(expected), `${expected} in ${shown}`);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  });
}
