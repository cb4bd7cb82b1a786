// `npm run check`: runs every gate, all of them even when one fails, and shows each with its duration. The output of a
// gate is shown when it fails. Arguments name the gates to run.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

interface Gate {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

interface Outcome {
  readonly gate: Gate;
  readonly isGreen: boolean;
  readonly output: string;
  readonly milliseconds: number;
}

const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'node_modules/.bin');

const GATES: readonly Gate[] = [
  { name: 'lint', command: join(BIN, 'biome'), args: ['check', '--error-on-warnings', '.'] },
  { name: 'types', command: process.execPath, args: ['scripts/gates/types.ts'] },
  { name: 'layering', command: process.execPath, args: ['scripts/gates/layering.ts'] },
  { name: 'layout', command: process.execPath, args: ['scripts/gates/layout.ts'] },
  { name: 'statements', command: process.execPath, args: ['scripts/gates/statements.ts'] },
  { name: 'dead-code', command: join(BIN, 'knip'), args: ['--no-config-hints'] },
  { name: 'lock-file', command: process.execPath, args: ['scripts/gates/lock-file.ts'] },
  { name: 'generated', command: process.execPath, args: ['scripts/generate.ts', '--check'] },
];

function run(gate: Gate): Promise<Outcome> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const end = (isGreen: boolean, extra = '') => {
      const output = Buffer.concat(chunks).toString() + extra;
      resolve({ gate, isGreen, output, milliseconds: performance.now() - startedAt });
    };
    const child = spawn(gate.command, gate.args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => end(false, String(error)));
    child.on('close', (code, signal) => end(code === 0, signal === null ? '' : `ended by ${signal}`));
  });
}

function report({ gate, isGreen, output, milliseconds }: Outcome): void {
  if (!isGreen) console.log(`\n${output.trimEnd()}\n`);
  console.log(`${isGreen ? '✔' : '✖'} ${gate.name} (${(milliseconds / 1000).toFixed(1)} s)`);
}

/** Runs the gates, as many at a time as there are cores. */
async function runAll(gates: readonly Gate[]): Promise<boolean> {
  const queue = [...gates];
  let isGreen = true;
  const worker = async () => {
    for (let gate = queue.shift(); gate !== undefined; gate = queue.shift()) {
      const outcome = await run(gate);
      report(outcome);
      isGreen &&= outcome.isGreen;
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), gates.length) }, worker));
  return isGreen;
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !GATES.some((gate) => gate.name === name));
if (unknown.length > 0) {
  console.error(`no such gate: ${unknown.join(', ')}; there are ${GATES.map((gate) => gate.name).join(', ')}`);
  process.exitCode = 1;
} else {
  const isGreen = await runAll(names.length === 0 ? GATES : GATES.filter((gate) => names.includes(gate.name)));
  process.exitCode = isGreen ? 0 : 1;
}
