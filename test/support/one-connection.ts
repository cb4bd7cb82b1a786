// One connection to a server, on which each request waits for the one before: shows what a request leaves behind on it.
import { Agent, request } from 'node:http';

export interface SentOnConnection {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

export interface ReceivedOnConnection {
  readonly status: number | undefined;
  /** The client's end of the connection. */
  readonly port: number | undefined;
  /** Whether the response closes the connection. */
  readonly isLast: boolean;
}

/** Sends POST requests to `origin`. Call `close` at the end. */
export function openConnection(origin: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = ({ path, headers, body }: SentOnConnection): Promise<ReceivedOnConnection> =>
    new Promise((resolve, reject) => {
      const sent = request(`${origin}${path}`, { method: 'POST', agent, headers }, (response) => {
        const { statusCode: status, socket, headers: received } = response;
        const read = { status, port: socket.localPort, isLast: received.connection === 'close' };
        response
          .once('end', () => resolve(read))
          .once('error', reject)
          .resume();
      });
      sent.once('error', reject).end(body);
    });
  return { send, close: () => agent.destroy() };
}
