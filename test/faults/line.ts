// A line between two processes that a test breaks: plain TCP in between that delays, trickles, falls silent, is cut or
// reset after so many bytes, and that holds a statement of PostgreSQL's protocol, or a webhook, at an exact point until
// the test has done what it wants there.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Hooks } from '#test/support/hooks.ts';

/** What happens to the bytes of one direction of a connection. */
export type Way =
  | { readonly kind: 'delay'; readonly milliseconds: number }
  | { readonly kind: 'trickle'; readonly bytes: number; readonly milliseconds: number }
  /** So many bytes pass; then both sides are closed, reset, or hear nothing more. */
  | { readonly kind: 'cut' | 'reset' | 'silence'; readonly after: number };

/** The faults of one connection; a direction that is left out is whole. */
export interface Issue {
  readonly request?: Way;
  readonly answer?: Way;
}

/** Where a connection is held. */
export interface Point {
  /** The text that is waited for in what the client sends: a statement's name, or the beginning of a webhook. */
  readonly text: string;
  /** Held at the COMMIT of the transaction in which the text was seen, instead of at the text. */
  readonly atCommit?: boolean;
  /**
   * `before`: it does not reach the server. `after`: the server has done it, and its answer does not reach the client.
   */
  readonly when: 'before' | 'after';
}

export interface Line {
  readonly host: string;
  readonly port: number;
  /** The next connections have these faults, one after the other; all others are whole. */
  breakNext(...faults: Issue[]): void;
  /** From now on every connection to come has this fault, until it is undefined. */
  breakAll(fault: Issue | undefined): void;
  /** Resolves when a connection is held at the point. */
  holdAt(point: Point): Promise<void>;
  /** Lets go what is held, as if it had only been slow; forgets a point that nobody has reached. */
  release(): void;
  /** Closes every connection, also what is held. */
  cut(): void;
}

interface Wire {
  readonly client: Socket;
  readonly upstream: Socket;
  isMarked: boolean;
  /** What is kept back, and to whom it goes. */
  held: { readonly to: Socket; readonly packet: Buffer }[] | undefined;
}

interface Trap {
  readonly point: Point;
  readonly spring: () => void;
}

export async function startLine(
  hooks: Hooks,
  target: { readonly host: string; readonly port: number },
  listenHost = '127.0.0.1',
): Promise<Line> {
  const wires = new Set<Wire>();
  const faults: Issue[] = [];
  let standing: Issue | undefined;
  let trap: Trap | undefined;

  /** Whether the packet that the client sends brings the connection to the point. */
  function reaches(wire: Wire, packet: Buffer): boolean {
    if (trap === undefined) return false;
    const { text, atCommit = false } = trap.point;
    const isSeen = packet.includes(text);
    if (!atCommit) return isSeen;
    const isEnd = packet.includes('COMMIT\0');
    const isReached = wire.isMarked && isEnd;
    wire.isMarked = isSeen || (wire.isMarked && !isEnd && !packet.includes('ROLLBACK\0'));
    return isReached;
  }

  function sent(wire: Wire, packet: Buffer, forward: (packet: Buffer) => void): void {
    if (wire.held !== undefined) return void wire.held.push({ to: wire.upstream, packet });
    if (!reaches(wire, packet)) {
      forward(packet);
      return;
    }
    wire.held = [];
    if (trap?.point.when === 'after') {
      forward(packet);
      return;
    }
    wire.held.push({ to: wire.upstream, packet });
    sprung();
  }

  function answered(wire: Wire, packet: Buffer, forward: (packet: Buffer) => void): void {
    if (wire.held === undefined) {
      forward(packet);
      return;
    }
    wire.held.push({ to: wire.client, packet });
    sprung();
  }

  function sprung(): void {
    trap?.spring();
    trap = undefined;
  }

  const server = createServer((client) => {
    const wire: Wire = { client, upstream: connect(target.port, target.host), isMarked: false, held: undefined };
    const fault = faults.shift() ?? standing ?? {};
    wires.add(wire);
    const toServer = makeWay(wire.upstream, client, fault.request);
    const toClient = makeWay(client, wire.upstream, fault.answer);
    client.on('data', (packet: Buffer) => sent(wire, packet, toServer));
    wire.upstream.on('data', (packet: Buffer) => answered(wire, packet, toClient));
    for (const [socket, other] of [
      [client, wire.upstream],
      [wire.upstream, client],
    ] as const) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        wires.delete(wire);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, listenHost, resolve));

  function cut(): void {
    for (const { client, upstream } of wires) {
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
      new Promise((spring) => {
        for (const wire of wires) wire.isMarked = false;
        trap = { point, spring };
      }),
    release() {
      trap = undefined;
      for (const wire of wires) {
        for (const { to, packet } of wire.held ?? []) to.write(packet);
        wire.held = undefined;
      }
    },
    cut,
  };
}

/** What writes the bytes of one direction, in their order, with that direction's fault. */
function makeWay(to: Socket, from: Socket, way: Way | undefined): (packet: Buffer) => void {
  if (way === undefined) return (packet) => void to.write(packet);
  switch (way.kind) {
    case 'delay':
      return (packet) => void setTimeout(() => to.write(packet), way.milliseconds);
    case 'trickle':
      return makeTrickle(to, way);
    default:
      return makeBreak(to, from, way);
  }
}

function makeTrickle(to: Socket, { bytes, milliseconds }: { bytes: number; milliseconds: number }) {
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

function makeBreak(to: Socket, from: Socket, { kind, after }: { kind: 'cut' | 'reset' | 'silence'; after: number }) {
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
