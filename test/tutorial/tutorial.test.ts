// Runs docs/tutorials/first-request.md: its commands one after the other in one bash against `kedja demo`, as a reader
// does, and looks for what it says one sees.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { readCodeBlocks } from '#test/support/code-blocks.ts';
import { prepareDemoCommand } from '#test/support/system/demo-command.ts';

const TUTORIAL = path.join(import.meta.dirname, '../../docs/tutorials/first-request.md');
const LIMIT_MS = 60_000;

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
async function runSteps(steps: readonly Step[], environment: Readonly<Record<string, string>>): Promise<string[]> {
  const mark = '---- end of step ----';
  const script = ['set -euo pipefail', ...steps.map(({ commands }) => `${commands}echo '${mark}'`)].join('\n');
  const { PATH = '' } = process.env;
  const node = path.dirname(process.execPath);
  const bash = spawn('bash', ['-c', script], {
    env: { ...environment, PATH: `${node}:${PATH}` },
    timeout: LIMIT_MS,
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

test('the tutorial works as it is written', async (t) => {
  const { gateway, start } = await prepareDemoCommand(t);
  await start();
  const steps = readSteps(await readFile(TUTORIAL, 'utf8'));
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
});
