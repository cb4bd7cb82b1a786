// A provider's system for tests: receives webhooks on a loopback port, verifies them with the standardwebhooks package,
// stores them, and responds as configured.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Hooks } from '#test/support/hooks.ts';

export interface Received {
  readonly id: string;
  readonly timestamp: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A status, or a function that responds itself (or never). */
export type Answer = number | ((response: ServerResponse, received: Received) => void);

export interface Receiver {
  readonly url: string;
  readonly ledger: Received[];
  /** Sets the next responses; the last one repeats. */
  answer(...answers: Answer[]): void;
  /** The verified payload of a received webhook. @throws when no signature is valid */
  verify(received: Received, secret: string): unknown;
  /** Resolves when that many webhooks have arrived. */
  arrived(count: number): Promise<void>;
}

export async function startReceiver(hooks: Hooks): Promise<Receiver> {
  const ledger: Received[] = [];
  let answers: Answer[] = [204];
  let waiting: { count: number; done: () => void }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers } = request;
      const received = {
        id: String(headers['webhook-id']),
        timestamp: Number(headers['webhook-timestamp']),
        headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      ledger.push(received);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (typeof answer === 'function') answer(response, received);
      else response.writeHead(answer ?? 204).end();
      for (const { count, done } of waiting) if (ledger.length >= count) done();
      waiting = waiting.filter(({ count }) => ledger.length < count);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  hooks.after(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    ledger,
    answer: (...given) => {
      answers = given;
    },
    verify: (received, secret) => verifyAt(received, secret),
    arrived: (count) =>
      ledger.length >= count ? Promise.resolve() : new Promise((done) => waiting.push({ count, done })),
  };
}

/** The package compares timestamps with the real clock, so its clock is set to the attempt's during the call. */
function verifyAt(received: Received, secret: string): unknown {
  const realNow = Date.now;
  Date.now = () => received.timestamp * 1000;
  try {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
    const headers = Object.fromEntries(names.map((name) => [name, String(received.headers[name])]));
    return new Webhook(secret).verify(received.body, headers);
  } finally {
    Date.now = realNow;
  }
}
