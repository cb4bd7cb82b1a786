// A mock of a provider's own system. It verifies webhooks with the published library, records each, and can be set to
// misbehave.
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface Arrival {
  readonly id: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  readonly isSigned: boolean;
  /** Whether one of its signatures is of this secret. */
  isSignedWith(secret: string): boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check what comes over the wire
  readonly event: any;
}

type Behaviour = (arrival: Arrival, response: ServerResponse) => void | Promise<void>;

export interface Receiver {
  readonly url: string;
  /** The IP address in its URL. */
  readonly address: string;
  readonly ledger: readonly Arrival[];
  /** The secret that dispatch returned at registration; signatures are verified with it. */
  useSecret(secret: string): void;
  /** The response to a webhook; 204 when left out. */
  behave(behaviour: Behaviour | undefined): void;
  close(): Promise<void>;
}

/**
 * It listens on its own loopback address where the machine has one (Linux has all of 127.0.0.0/8). So a test can allow
 * webhooks to that one alone.
 */
export async function startReceiver(): Promise<Receiver> {
  const ledger: Arrival[] = [];
  let verifier: Webhook | undefined;
  let behaviour: Behaviour | undefined;

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const arrival = {
        id: String(request.headers['webhook-id']),
        body,
        headers: request.headers,
        isSigned: isOf(verifier, request.headers, body),
        isSignedWith: (secret: string) => isOf(new Webhook(secret), request.headers, body),
        event: JSON.parse(body),
      };
      ledger.push(arrival);
      if (behaviour === undefined) response.writeHead(204).end();
      else void behaviour(arrival, response);
    });
  });

  const { address, port } = await listen(server, '127.0.0.2').catch(() => listen(server, '127.0.0.1'));
  return {
    url: `http://${address}:${port}/kedja`,
    address,
    ledger,
    useSecret: (secret) => {
      verifier = new Webhook(secret);
    },
    behave: (next) => {
      behaviour = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function isOf(verifier: Webhook | undefined, headers: IncomingHttpHeaders, body: string): boolean {
  try {
    verifier?.verify(body, headers as Record<string, string>);
    return verifier !== undefined;
  } catch {
    return false;
  }
}

function listen(server: Server, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}
