// Graceful shutdown of an application (SIGTERM). It takes no new connections, completes running requests, and closes
// their connections with the response (RFC 9110 §7.6.1, RFC 9112 §9.6). Idle connections stay open for the drain time,
// so that a request that is sent on one of them at that moment is served. Every response during that time says that the
// node is draining, so that clients with a choice of nodes leave it.
import type { ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { HttpApp } from './http-app.ts';
import type { ReadinessCheck } from './operations.ts';

/**
 * The header of every response of a node that is stopping. Send the next request, and idle connections, to another node
 * (like GOAWAY of RFC 9113 §6.8).
 */
export const DRAINING_HEADER = 'x-kedja-draining';

const SWEEP_MS = 100;
/**
 * The head of a request that has begun to arrive has so long from the stop on. Node.js checks its timeouts of heads no
 * more once a server closes, so a sender who never ends one would keep the node from stopping.
 */
const HEAD_MS = 2_000;
/**
 * After so long without a byte, a request whose body has not ended is given up. Its timeout is not checked any more
 * either.
 */
const BODY_PAUSE_MS = 5_000;
/**
 * Turns of the event loop, each of which accepts at least one connection. It exceeds the backlog of a listening socket.
 */
const MAX_ACCEPT_TURNS = 1_024;

export interface Draining {
  /** How long idle connections stay open during the shutdown. */
  readonly drainMs: number;
  /**
   * Aborted when the process begins to stop. Its applications drain at once from then on, and are closed one after the
   * other: until its turn comes, each serves those that need it. Without it an application drains when it is closed.
   */
  readonly stopping?: AbortSignal | undefined;
}

/** Returns a readiness check that fails during shutdown. */
export function closeConnectionsWithApp(app: HttpApp, { drainMs, stopping }: Draining): ReadinessCheck {
  let isClosing = false;
  let drained: Promise<void> | undefined;
  let sweep: NodeJS.Timeout | undefined;
  const connections = new Set<Socket>();
  const isStalled = createStallCheck();
  app.server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const beginDrain = () => {
    isClosing = true;
    drained ??= drainMs > 0 && app.server.listening ? drain(app, drainMs) : Promise.resolve();
    return drained;
  };
  stopping?.addEventListener('abort', () => void beginDrain(), { once: true });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing) reply.header('connection', 'close').header(DRAINING_HEADER, 'stopping');
    done();
  });
  app.addHook('preClose', async () => {
    await beginDrain();
    // After the reads of this turn: a request that has arrived marks its connection as busy.
    const headsUntil = performance.now() + HEAD_MS;
    const closeUnused = () => {
      app.server.closeIdleConnections();
      if (performance.now() < headsUntil) return;
      for (const socket of connections) if (!isResponding(socket) || isStalled(socket)) socket.destroy();
    };
    sweep = setInterval(() => setImmediate(closeUnused), SWEEP_MS);
    await nextTurn();
  });
  app.addHook('onClose', async () => clearInterval(sweep));
  return { name: 'end', check: async () => (isClosing ? 'the node is stopping' : undefined) };
}

/** The socket of a server refers to the response that has begun on it, until that has ended. */
type ServerSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** Whether a request of the connection has a response that has not ended. */
function isResponding(socket: ServerSocket): boolean {
  return (socket._httpMessage ?? null) !== null;
}

/** Returns whether a body stalls on the connection: from the first question on, nothing more of it came for long. */
function createStallCheck(): (socket: ServerSocket) => boolean {
  const seen = new WeakMap<Socket, { readonly bytes: number; readonly at: number }>();
  return (socket) => {
    if (socket._httpMessage?.req.complete !== false) return false;
    const { bytesRead: bytes } = socket;
    const before = seen.get(socket);
    const now = performance.now();
    if (before?.bytes === bytes) return now - before.at >= BODY_PAUSE_MS;
    seen.set(socket, { bytes, at: now });
    return false;
  };
}

/** Resolves when all connections have ended, after `limitMs` at the latest. */
async function drain({ server }: HttpApp, limitMs: number): Promise<void> {
  await acceptWaiting(server);
  // `http.Server.close` would also close idle connections.
  Server.prototype.close.call(server);
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline && (await countConnections(server)) > 0) await delay(SWEEP_MS / 2);
}

/**
 * Accepts the connections that the kernel has established already. Otherwise closing the listening socket would reset
 * them, with the requests sent on them.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let taken = 0;
  const count = () => {
    taken += 1;
  };
  server.on('connection', count);
  // What began in this turn of the event loop continues in the next. Stop after a whole turn without a connection.
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
