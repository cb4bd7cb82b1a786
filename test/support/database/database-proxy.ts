// A TCP proxy before a database. A test cuts its connections at once, or after a number of packets of the client, or
// silences them.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Hooks } from '../hooks.ts';

export interface DatabaseProxy {
  /** The database's address through the proxy. */
  readonly url: string;
  /** Breaks every connection, and lets none through until `restore`. */
  cut(): void;
  /** Lets nothing through any more in either direction, and leaves the connections open, until `restore`. */
  silence(): void;
  /** The same from the client's first packet on that holds the text, and which does not arrive. Resolves then. */
  silenceAt(text: string): Promise<void>;
  /** Cuts when the client sends this many packets more; that one does not arrive. */
  cutAfter(packets: number): void;
  /** Lets connections through again, and cancels a pending cut. Returns whether connections were cut. */
  restore(): boolean;
}

export async function startDatabaseProxy(hooks: Hooks, databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let isCut = false;
  let isSilent = false;
  let silenceAt: { readonly text: string; readonly reached: () => void } | undefined;
  let packetsLeft = Number.POSITIVE_INFINITY;

  function cut(): void {
    isCut = true;
    for (const socket of open) socket.destroy();
    open.clear();
  }

  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (packet) => {
      if (silenceAt !== undefined && packet.includes(silenceAt.text)) {
        isSilent = true;
        silenceAt.reached();
      }
      if (isSilent) return;
      packetsLeft -= 1;
      if (packetsLeft > 0) upstream.write(packet);
      else if (!isCut) cut();
    });
    upstream.on('data', (packet) => isSilent || client.write(packet));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hooks.after(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut,
    silence: () => {
      isSilent = true;
    },
    silenceAt: (text) =>
      new Promise((reached) => {
        silenceAt = { text, reached };
      }),
    cutAfter: (packets) => {
      packetsLeft = packets;
    },
    restore() {
      const wasCut = isCut;
      isCut = false;
      isSilent = false;
      silenceAt = undefined;
      packetsLeft = Number.POSITIVE_INFINITY;
      return wasCut;
    },
  };
}
