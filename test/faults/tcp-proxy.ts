// A TCP proxy that injects faults between two processes. It delays or trickles bytes, falls silent, or cuts or resets
// the connection after a number of bytes. It also holds a statement of PostgreSQL's protocol, or a webhook, at an exact
// breakpoint until the test releases it.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Hooks } from '#test/support/hooks.ts';

/** What happens to the bytes of one direction of a connection. */
export type DirectionFault =
  | { readonly kind: 'delay'; readonly milliseconds: number }
  | { readonly kind: 'trickle'; readonly bytes: number; readonly milliseconds: number }
  /** So many bytes pass; then both sides are closed, reset, or hear nothing more. */
  | { readonly kind: 'cut' | 'reset' | 'silence'; readonly after: number };

/** The faults of one connection; a direction that is left out is whole. */
export interface ConnectionFault {
  readonly request?: DirectionFault;
  readonly answer?: DirectionFault;
}

/** Where a connection is held. */
export interface Breakpoint {
  /** The text that is waited for in what the client sends: a statement's name, or the beginning of a webhook. */
  readonly text: string;
  /** Held at the COMMIT of the transaction in which the text was seen, instead of at the text. */
  readonly atCommit?: boolean;
  /**
   * `before`: it does not reach the server. `after`: the server has done it, and its answer does not reach the client.
   */
  readonly when: 'before' | 'after';
}

export interface TcpProxy {
  readonly host: string;
  readonly port: number;
  /** The next connections have these faults, one after the other; all others are whole. */
  breakNext(...faults: ConnectionFault[]): void;
  /** From now on every connection to come has this fault, until it is undefined. */
  breakAll(fault: ConnectionFault | undefined): void;
  /** Resolves when a connection is held at the point. */
  holdAt(point: Breakpoint): Promise<void>;
  /** Lets go what is held, as if it had only been slow; forgets a point that nobody has reached. */
  release(): void;
  /** Closes every connection, also what is held. */
  cut(): void;
}

interface Connection {
  readonly client: Socket;
  readonly upstream: Socket;
  isMarked: boolean;
  /** What is kept back, and to whom it goes. */
  held: { readonly to: Socket; readonly packet: Buffer }[] | undefined;
}

interface ArmedBreakpoint {
  readonly point: Breakpoint;
  readonly onHit: () => void;
}

export async function startTcpProxy(
  hooks: Hooks,
  target: { readonly host: string; readonly port: number },
  listenHost = '127.0.0.1',
): Promise<TcpProxy> {
  const connections = new Set<Connection>();
  const faults: ConnectionFault[] = [];
  let standing: ConnectionFault | undefined;
  let armed: ArmedBreakpoint | undefined;

  /** Whether the packet that the client sends brings the connection to the point. */
  function reaches(connection: Connection, packet: Buffer): boolean {
    if (armed === undefined) return false;
    const { text, atCommit = false } = armed.point;
    const isSeen = packet.includes(text);
    if (!atCommit) return isSeen;
    const isEnd = packet.includes('COMMIT\0');
    const isReached = connection.isMarked && isEnd;
    connection.isMarked = isSeen || (connection.isMarked && !isEnd && !packet.includes('ROLLBACK\0'));
    return isReached;
  }

  function sent(connection: Connection, packet: Buffer, forward: (packet: Buffer) => void): void {
    if (connection.held !== undefined) return void connection.held.push({ to: connection.upstream, packet });
    if (!reaches(connection, packet)) {
      forward(packet);
      return;
    }
    connection.held = [];
    if (armed?.point.when === 'after') {
      forward(packet);
      return;
    }
    connection.held.push({ to: connection.upstream, packet });
    hit();
  }

  function answered(connection: Connection, packet: Buffer, forward: (packet: Buffer) => void): void {
    if (connection.held === undefined) {
      forward(packet);
      return;
    }
    connection.held.push({ to: connection.client, packet });
    hit();
  }

  function hit(): void {
    armed?.onHit();
    armed = undefined;
  }

  const server = createServer((client) => {
    const connection: Connection = {
      client,
      upstream: connect(target.port, target.host),
      isMarked: false,
      held: undefined,
    };
    const fault = faults.shift() ?? standing ?? {};
    connections.add(connection);
    const toServer = createWriter(connection.upstream, client, fault.request);
    const toClient = createWriter(client, connection.upstream, fault.answer);
    client.on('data', (packet: Buffer) => sent(connection, packet, toServer));
    connection.upstream.on('data', (packet: Buffer) => answered(connection, packet, toClient));
    for (const [socket, other] of [
      [client, connection.upstream],
      [connection.upstream, client],
    ] as const) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        connections.delete(connection);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, listenHost, resolve));

  function cut(): void {
    for (const { client, upstream } of connections) {
      client.destroy();
      upstream.destroy();
    }
  }

  hooks.after(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    host: listenHost,
    port: (server.address() as AddressInfo).port,
    breakNext: (...given) => void faults.push(...given),
    breakAll: (given) => {
      standing = given;
    },
    holdAt: (point) =>
      new Promise((onHit) => {
        for (const connection of connections) connection.isMarked = false;
        armed = { point, onHit };
      }),
    release() {
      armed = undefined;
      for (const connection of connections) {
        for (const { to, packet } of connection.held ?? []) to.write(packet);
        connection.held = undefined;
      }
    },
    cut,
  };
}

/** What writes the bytes of one direction, in their order, with that direction's fault. */
function createWriter(to: Socket, from: Socket, fault: DirectionFault | undefined): (packet: Buffer) => void {
  if (fault === undefined) return (packet) => void to.write(packet);
  switch (fault.kind) {
    case 'delay':
      return (packet) => void setTimeout(() => to.write(packet), fault.milliseconds);
    case 'trickle':
      return createTrickle(to, fault);
    default:
      return createBreak(to, from, fault);
  }
}

function createTrickle(to: Socket, { bytes, milliseconds }: { bytes: number; milliseconds: number }) {
  let waiting: Buffer = Buffer.alloc(0);
  let isDripping = false;
  const drip = () => {
    to.write(waiting.subarray(0, bytes));
    waiting = waiting.subarray(bytes);
    isDripping = waiting.length > 0 && !to.destroyed;
    if (isDripping) setTimeout(drip, milliseconds);
  };
  return (packet: Buffer) => {
    waiting = Buffer.concat([waiting, packet]);
    if (isDripping) return;
    isDripping = true;
    setTimeout(drip, milliseconds);
  };
}

function createBreak(to: Socket, from: Socket, { kind, after }: { kind: 'cut' | 'reset' | 'silence'; after: number }) {
  let left = after;
  return (packet: Buffer) => {
    const passed = packet.subarray(0, left);
    left -= passed.length;
    const isOver = passed.length < packet.length;
    if (!isOver) return void to.write(passed);
    const end = () => {
      if (kind === 'silence') return;
      for (const socket of [to, from]) kind === 'reset' ? socket.resetAndDestroy() : socket.destroy();
    };
    if (passed.length === 0) end();
    else to.write(passed, end);
  };
}
