// The receivers' own process: one port responds to every webhook with 204, and one accepts connections and never
// responds. Its HTTP/1.1 parser only finds the end of a request, so that it takes little of the cores it shares with
// what is measured.
import { createServer, type Socket } from 'node:net';
import { monotonicMs } from './monotonic.ts';

export type ReceiverJob = 'start' | 'count' | 'take';

/**
 * What the receivers have seen since they were last asked: when the first byte of each webhook came, by `webhook-id`.
 */
export interface ReceiverAnswer {
  readonly answeringPort?: number;
  readonly silentPort?: number;
  readonly count: number;
  /** `webhook-id` and milliseconds of the machine's monotonic clock; the first time of each. */
  readonly arrivals?: readonly (readonly [string, number])[];
}

const HEAD_END = Buffer.from('\r\n\r\n');
const ANSWER = Buffer.from('HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n');

const arrivals = new Map<string, number>();

function answering(socket: Socket): void {
  let [missing, beganAt] = [0, 0];
  let head: Buffer | undefined;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    if (missing > 0) {
      missing -= chunk.length;
      if (missing === 0) socket.write(ANSWER);
      return;
    }
    if (head === undefined) beganAt = monotonicMs();
    head = head === undefined ? chunk : Buffer.concat([head, chunk]);
    const end = head.indexOf(HEAD_END);
    if (end === -1) return;
    const { id, length } = readHead(head.toString('latin1', 0, end));
    if (!arrivals.has(id)) arrivals.set(id, beganAt);
    missing = length - (head.length - end - HEAD_END.length);
    head = undefined;
    if (missing === 0) socket.write(ANSWER);
  });
}

function readHead(head: string): { id: string; length: number } {
  const id = /\r\nwebhook-id: *([^\r]+)/i.exec(head)?.[1] ?? '';
  return { id, length: Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) };
}

function silent(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  socket.resume();
}

function listen(serve: (socket: Socket) => void): Promise<number> {
  const server = createServer(serve);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

async function work(job: ReceiverJob): Promise<ReceiverAnswer> {
  switch (job) {
    case 'start':
      return { answeringPort: await listen(answering), silentPort: await listen(silent), count: 0 };
    case 'count':
      return { count: arrivals.size };
    case 'take': {
      const taken = [...arrivals];
      arrivals.clear();
      return { count: taken.length, arrivals: taken };
    }
    default:
      return job satisfies never;
  }
}

process.on('message', (job: ReceiverJob) => {
  void work(job).then((answer) => process.send?.(answer));
});
