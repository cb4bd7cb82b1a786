// A provider's own system, outside of Kedja: it verifies webhooks with the published library, keeps a ledger of every one that
// reached it, and can be told to misbehave.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface Arrival {
  readonly id: string;
  readonly body: string;
  readonly isSigned: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is judged by the assertions
  readonly event: any;
}

type Behaviour = (arrival: Arrival, response: ServerResponse) => void | Promise<void>;

export interface Receiver {
  readonly url: string;
  readonly ledger: readonly Arrival[];
  /** The secret that dispatch answered at registration; signatures are judged with it. */
  useSecret(secret: string): void;
  /** What it does with an arrival; 204 when left out. */
  behave(behaviour: Behaviour | undefined): void;
  close(): Promise<void>;
}

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
        isSigned: verify(request.headers, body),
        event: JSON.parse(body),
      };
      ledger.push(arrival);
      if (behaviour === undefined) response.writeHead(204).end();
      else void behaviour(arrival, response);
    });
  });

  function verify(headers: IncomingHttpHeaders, body: string): boolean {
    try {
      verifier?.verify(body, headers as Record<string, string>);
      return verifier !== undefined;
    } catch {
      return false;
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/kedja`,
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
