// The load generator's own process: keep-alive connections over which prepared requests go out one after another. Its
// HTTP/1.1 parser only finds the end of a response, so that it takes little of the cores it shares with what it
// measures.
import { connect, type Socket } from 'node:net';
import { SERIAL } from './serial.ts';

/** What to send, and for how long. */
export interface LoadJob {
  readonly port: number;
  readonly connections: number;
  readonly milliseconds: number;
  /**
   * Whole requests as they go over the wire; connections take them in turn. In each {@link SERIAL} is replaced by
   * a number that no request before it had.
   */
  readonly requests: readonly string[];
}

export interface LoadResult {
  readonly perSecond: number;
  readonly answers: number;
  /** Milliseconds. */
  readonly median: number;
  /** Milliseconds within which 99 of 100 answers came. */
  readonly p99: number;
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>;
}

interface WireRequest {
  readonly bytes: Buffer;
  /** Where its number is; -1 where it has none. */
  readonly serialAt: number;
}

interface Tally {
  next: number;
  answers: number;
  readonly statuses: Record<string, number>;
  readonly durations: number[];
}

const HEAD_END = Buffer.from('\r\n\r\n');
const KEPT_DURATIONS = 100_000;

async function run({ port, connections, milliseconds, requests }: LoadJob): Promise<LoadResult> {
  const wire = requests.map((request): WireRequest => {
    const bytes = Buffer.from(request);
    return { bytes, serialAt: bytes.indexOf(SERIAL) };
  });
  const tally: Tally = { next: 0, answers: 0, statuses: {}, durations: [] };
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt >= milliseconds;
  await Promise.all(sockets.map((socket) => drive(socket, { wire, tally, isOver })));
  const seconds = (performance.now() - startedAt) / 1000;
  const durations = tally.durations.sort((a, b) => a - b);
  const at = (part: number) => durations[Math.floor(durations.length * part)] ?? Number.NaN;
  const { answers, statuses } = tally;
  return { perSecond: answers / seconds, answers, median: at(0.5), p99: at(0.99), statuses };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends and awaits one request after the other until the time is over. */
function drive(
  socket: Socket,
  job: { wire: readonly WireRequest[]; tally: Tally; isOver: () => boolean },
): Promise<void> {
  const { wire, tally, isOver } = job;
  return new Promise((resolve, reject) => {
    let missing = 0;
    let head: Buffer | undefined;
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      const request = wire[tally.next % wire.length];
      tally.next += 1;
      if (request !== undefined) socket.write(numbered(request));
    };
    const finish = () => {
      tally.answers += 1;
      if (tally.durations.length < KEPT_DURATIONS) tally.durations.push(performance.now() - sentAt);
      if (!isOver()) return send();
      socket.destroy();
      resolve();
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed before its answer')));
    socket.on('data', (chunk: Buffer) => {
      if (missing > 0) {
        missing -= chunk.length;
        if (missing === 0) finish();
        return;
      }
      head = head === undefined ? chunk : Buffer.concat([head, chunk]);
      const end = head.indexOf(HEAD_END);
      if (end === -1) return;
      const { status, length } = readHead(head.toString('latin1', 0, end));
      tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
      missing = length - (head.length - end - HEAD_END.length);
      head = undefined;
      if (missing === 0) finish();
    });
    send();
  });
}

/** Of all jobs of this process. */
let serial = 0;

function numbered({ bytes, serialAt }: WireRequest): Buffer {
  if (serialAt === -1) return bytes;
  serial += 1;
  // A copy: the one before may still be on its way.
  const copy = Buffer.from(bytes);
  copy.write(String(serial).padStart(SERIAL.length, '0'), serialAt, 'latin1');
  return copy;
}

function readHead(head: string): { status: string; length: number } {
  const lower = head.toLowerCase();
  const at = lower.indexOf('\r\ncontent-length:');
  if (at === -1) throw new Error('an answer without a length cannot be measured');
  return { status: head.slice(9, 12), length: Number.parseInt(lower.slice(at + 17), 10) };
}

process.on('message', (job: LoadJob) => {
  run(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
