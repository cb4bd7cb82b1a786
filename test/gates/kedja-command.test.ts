// The command itself: an old Node.js gets a sentence that says what to do, and unknown commands get the list of those
// that are.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';

const KEDJA = join(import.meta.dirname, '../../kedja.mjs');
const OLD_NODE_SENTENCE =
  /^Kedja needs Node\.js 24 or later, and this is Node\.js (\d+\.\d+\.\d+)\. Run it by npm.*npm ci && npm run demo/;

function kedja(args: readonly string[], node = process.execPath, nodeArgs: readonly string[] = []) {
  const { status, stdout, stderr } = spawnSync(node, [...nodeArgs, KEDJA, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** The Node.js installations on PATH that are too old. */
function oldNodes(): string[] {
  const candidates = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return candidates.filter(
    (path) => existsSync(path) && Number(execFileSync(path, ['-p', 'process.versions.node.split(".")[0]'])) < 24,
  );
}

test('an old Node.js gets a sentence and exit code 1', () => {
  const pretend = "data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } })";
  const { status, stderr, stdout } = kedja(['demo'], process.execPath, ['--import', pretend]);
  assert.equal(OLD_NODE_SENTENCE.exec(stderr)?.[1], '20.1.0', stderr);
  assert.equal(stderr.trimEnd().split('\n').length, 1);
  assert.deepEqual([status, stdout], [1, '']);
});

test('so do the old ones that are installed here', (context) => {
  const nodes = oldNodes();
  context.diagnostic(`old Node.js found: ${nodes.join(', ') || 'none'}`);
  for (const node of nodes) {
    const { status, stderr } = kedja(['demo'], node);
    assert.match(stderr, OLD_NODE_SENTENCE, node);
    assert.equal(status, 1);
  }
});

test('it is written in what Node.js 12 reads', () => {
  const code = readFileSync(KEDJA, 'utf8').replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '');
  assert.doesNotMatch(
    code,
    /\?\?|\?\.[a-z[(]|\|\|=|&&=|\*\*=|^await\b|\d_\d|import\.meta\.(main|dirname|filename)|#[a-z]+\b.*=|\bwith\s*\{/m,
  );
});

test('without a command, and with one that does not exist, the commands are listed', () => {
  const help = kedja(['--help']);
  assert.equal(help.status, 0);
  assert.match(help.stdout, /^usage: kedja <command>/);
  assert.match(help.stdout, /^ {2}start .*\n {2}demo /m);
  assert.equal(kedja([]).status, 1);
  const unknown = kedja(['toString']);
  assert.equal(unknown.status, 1);
  assert.match(unknown.stderr, /^There is no command "toString"\.\n\nusage: kedja/);
});

test('a command that takes no arguments explains itself and does not run when it is given some', () => {
  const help = kedja(['start', '--help']);
  assert.equal(help.status, 0);
  assert.match(help.stdout, /^usage: kedja start\n/);
  for (const name of ['start', 'demo']) {
    const refused = kedja([name, '--port=80']);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /^"--port=80": this command takes no arguments\./);
  }
});
