// An orderly end of an application (SIGTERM): it takes no new connections, running requests are served, and their
// connections end with them (RFC 9110 §7.6.1, RFC 9112 §9.6). Connections that are idle stay open for the time of the
// drain: whoever sends a request on one of them at that moment is still served. Every answer of that time says that the
// node drains, so that whoever has a choice of nodes leaves it.
import { Server } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { HttpApp } from './http-app.ts';
import type { ReadinessCheck } from './operations.ts';

/**
 * The header of every answer of a node that is stopping: the next request, and idle connections, belong elsewhere (as
 * GOAWAY of RFC 9113 §6.8).
 */
export const DRAINING_HEADER = 'x-kedja-draining';

const SWEEP_MS = 100;
/**
 * Turns of the event loop, each of which takes one connection at least: more than the backlog of a listening socket
 * holds.
 */
const MAX_ACCEPT_TURNS = 1_024;

/** Answers the readiness that ends with the application. `drainMs`: how long idle connections stay open at the end. */
export function closeConnectionsWithApp(app: HttpApp, drainMs: number): ReadinessCheck {
  let isClosing = false;
  let sweep: NodeJS.Timeout | undefined;
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing) reply.header('connection', 'close').header(DRAINING_HEADER, 'stopping');
    done();
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    if (drainMs > 0 && app.server.listening) await drain(app, drainMs);
    // After the turn's reading: a request that has come meanwhile makes its connection a busy one.
    sweep = setInterval(() => setImmediate(() => app.server.closeIdleConnections()), SWEEP_MS);
    await nextTurn();
  });
  app.addHook('onClose', async () => clearInterval(sweep));
  return { name: 'end', check: async () => (isClosing ? 'the node is stopping' : undefined) };
}

/** Ends when all connections have ended, and after `limitMs` at the latest. */
async function drain({ server }: HttpApp, limitMs: number): Promise<void> {
  await acceptWaiting(server);
  // The server of node:http would close its idle connections with this.
  Server.prototype.close.call(server);
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline && (await countConnections(server)) > 0) await delay(SWEEP_MS / 2);
}

/**
 * Takes the connections that the kernel has made already: those that nobody has taken are reset when the listening
 * socket closes, with the requests that were sent on them.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let taken = 0;
  const count = () => {
    taken += 1;
  };
  server.on('connection', count);
  // What was begun in this turn of the event loop goes on in the next; a whole one without a connection follows.
  await nextTurn();
  for (let turn = 0, before = -1; taken !== before && turn < MAX_ACCEPT_TURNS; turn += 1) {
    before = taken;
    await nextTurn();
  }
  server.off('connection', count);
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
