// An orderly end of an application (SIGTERM): it takes no new connections, running requests are served, and their connections end with
// them (RFC 9110 §7.6.1, RFC 9112 §9.6). Connections that lie idle stay open for the time of the drain: whoever sends a request on one of them
// at that moment is still served, and whoever asks /readyz sends the next one elsewhere.
import { Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpApp } from './http-app.ts';
import type { ReadinessCheck } from './operations.ts';

const SWEEP_MS = 100;

/** Answers the readiness that ends with the application. `drainMs`: how long idle connections stay open at the end. */
export function closeConnectionsWithApp(app: HttpApp, drainMs: number): ReadinessCheck {
  let isClosing = false;
  let sweep: NodeJS.Timeout | undefined;
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    done();
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    if (drainMs > 0 && app.server.listening) await drain(app, drainMs);
    sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
  });
  app.addHook('onClose', async () => clearInterval(sweep));
  return { name: 'end', check: async () => (isClosing ? 'the node is stopping' : undefined) };
}

/** Ends when all connections have ended, and after `limitMs` at the latest. */
async function drain({ server }: HttpApp, limitMs: number): Promise<void> {
  // The server of node:http would close its idle connections with this.
  Server.prototype.close.call(server);
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline && (await countConnections(server)) > 0) await delay(SWEEP_MS / 2);
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
