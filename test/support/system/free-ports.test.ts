import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { freePorts } from './free-ports.ts';

const MODULE = path.join(import.meta.dirname, 'free-ports.ts');

/** The ports that a process of its own is given. */
async function portsElsewhere(count: number): Promise<number[]> {
  const script = `const { freePorts } = await import(${JSON.stringify(MODULE)});
    console.log(JSON.stringify(await freePorts(${count})));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout);
}

test('no port is given twice, by one process or by two', async () => {
  const given = await Promise.all([freePorts(60), freePorts(60), freePorts(4), freePorts(1)]);
  const elsewhere = await portsElsewhere(60);
  const all = [...given.flat(), ...elsewhere];
  assert.equal(all.length, 185);
  assert.equal(new Set(all).size, all.length);
});

test('a port on which somebody listens is left out', async (t) => {
  const [next = 0] = await freePorts(1);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(next + 1, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  assert.ok(!(await freePorts(3)).includes(next + 1));
});
