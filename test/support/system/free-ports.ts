// Ports for the servers of a test. A port is chosen before its server listens, and a busy machine starts a server in
// half a minute. So test processes share the ports in blocks: no two of them choose the same port meanwhile.
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** Below those that systems give to connections (32768 and above on Linux), one of which may take a port meanwhile. */
const FIRST = 15_000;
const BLOCKS = 340;
const IN_BLOCK = 50;

/** The ports of this process that it has not used yet. */
let left: number[] = [];
let claiming: Promise<void> | undefined;

/** Ports that no other process of tests uses and nobody listens on. No port is given twice. */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) {
    const port = left.shift();
    if (port === undefined) await claimBlock();
    else if (await isFree(port)) found.push(port);
  }
  return found;
}

/** Calls at the same time wait for the same block. */
async function claimBlock(): Promise<void> {
  claiming ??= takeBlock().finally(() => {
    claiming = undefined;
  });
  await claiming;
}

/** Who listens on the first port of a block has the block, until the process ends. */
async function takeBlock(): Promise<void> {
  for (;;) {
    const first = FIRST + randomInt(BLOCKS) * IN_BLOCK;
    const server = await listen(first);
    if (server === undefined) continue;
    server.unref();
    left = Array.from({ length: IN_BLOCK - 1 }, (_, index) => first + 1 + index);
    return;
  }
}

/** Undefined when somebody listens there already. */
function listen(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port);
  if (server === undefined) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}
