// A server for tests that sends any response, also a malformed one, and remembers its requests.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Hooks } from '../hooks.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Behaviour = (asked: ReceivedRequest, response: ServerResponse, socket: Socket) => void | Promise<void>;

export interface MisbehavingServer {
  readonly url: string;
  readonly asked: readonly ReceivedRequest[];
  /** The number of connections so far. */
  connections(): number;
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

/** On a free port of 127.0.0.1; closed at the end. It responds 404 until the test sets another response. */
export async function startMisbehavingServer(hooks: Hooks): Promise<MisbehavingServer> {
  const asked: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let made = 0;
  let behaviour: Behaviour = (_asked, response) => void response.writeHead(404).end();
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { method = '', url = '', headers, socket } = request;
      const entry = { method, url, headers, body };
      asked.push(entry);
      return behaviour(entry, response, socket);
    });
  });
  server.on('connection', (socket) => {
    made += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((done) => server.close(() => done()));
  };
  hooks.after(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/fhir`,
    asked,
    connections: () => made,
    behave: (next) => {
      behaviour = next;
    },
    close,
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Answers FHIR JSON. */
export function answerFhir(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/fhir+json; charset=utf-8' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
