// The open streams of this node (docs/adr/0070). A hint wakes the hub, and a poll twice a second is the guarantee. It
// sends each stream what its lists have behind its positions, and checks its caller again. So a stream ends within two
// seconds after its token.
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { wokenBy } from '#lib/jobs/woken-loop.ts';
import { createPeriodicLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { Slots } from '#lib/slots.ts';
import type { Reader } from './audience.ts';
import type { Positions } from './cursor.ts';
import { notificationChannel } from './notify-service.ts';
import { listAfter, type PlacedNotification, readPositions } from './store.ts';

const POLL_MS = 500;
const BATCH = 100;
const PER_READER = 5;
/** The gateway has 128 connections to a node, which other requests need too. */
const PER_NODE = 64;
const RETRY_SECONDS = 30;

/** Why the server ends a stream. */
export type EndReason = 'unauthorized' | 'forbidden' | 'unavailable' | 'stopping' | 'finished';

/** One open stream, as its route sees it. */
interface OpenStream {
  /** Checks the caller and returns who reads now. @throws ServiceError when the caller may not any more */
  check(): Promise<Reader>;
  /** Whether the node is shutting down. */
  isStopping(): boolean;
  /** Whether the client takes more now; what it does not take is read again later. */
  isReady(): boolean;
  end(reason: EndReason): void;
}

/** Sends notifications. */
interface NotificationStream extends OpenStream {
  /** Sends in order; the positions are those after each of them. */
  send(
    notifications: readonly { readonly notification: PlacedNotification; readonly after: Positions }[],
  ): Promise<void>;
}

/** Says that something has happened, and not what: its reader may not read the notifications. */
interface ChangeStream extends OpenStream {
  /** The positions are those after all that has happened. */
  tell(after: Positions): void;
}

export type StreamClient = NotificationStream | ChangeStream;

export interface NotificationHub {
  /**
   * Adds a stream that continues from these positions; lists that they do not name are read from now on. Returns the
   * function that removes it.
   * @throws ServiceError `rate_limited`, `unavailable` for too many streams of a reader or of the node
   */
  open(client: StreamClient, reader: Reader, from: Positions): Promise<() => void>;
  /** Sends what there is now, without waiting for the next round. */
  flush(): Promise<void>;
  endAll(reason: EndReason): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Stream {
  readonly client: StreamClient;
  reader: Reader;
  positions: Map<string, number>;
  isOver: boolean;
}

export function createNotificationHub({ database, log }: { readonly database: Database; readonly log: Logger }) {
  const streams = new Slots<Stream>();
  let checkedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> = Promise.resolve();
  const all = () => [...streams.entries()].map(([, stream]) => stream).filter(({ isOver }) => !isOver);

  function end(stream: Stream, reason: EndReason): void {
    if (stream.isOver) return;
    stream.isOver = true;
    stream.client.end(reason);
  }

  async function check(stream: Stream): Promise<void> {
    if (stream.client.isStopping()) return end(stream, 'stopping');
    try {
      const reader = await stream.client.check();
      const lost = [...stream.positions.keys()].filter((key) => !reader.feedKeys.includes(key));
      for (const key of lost) stream.positions.delete(key);
      stream.reader = reader;
    } catch (error) {
      end(stream, reasonOf(error));
    }
  }

  /** Sends what one list has between the stream's position and the list's last. */
  async function pump(
    stream: Stream,
    client: NotificationStream,
    { feedKey, last }: { readonly feedKey: string; readonly last: number },
  ): Promise<void> {
    for (;;) {
      const after = stream.positions.get(feedKey);
      if (after === undefined || after >= last || stream.isOver || !client.isReady()) return;
      const found = await listAfter(database, stream.reader.id, { feedKey, after, limit: BATCH });
      const positions = new Map(stream.positions);
      const sent = found.map((notification) => {
        positions.set(feedKey, notification.place);
        return { notification, after: new Map(positions) };
      });
      if (sent.length > 0) await client.send(sent);
      // The others before `last` are not this reader's.
      if (found.length < BATCH) positions.set(feedKey, Math.max(last, positions.get(feedKey) ?? 0));
      stream.positions = positions;
    }
  }

  async function serve(stream: Stream, lasts: Positions): Promise<void> {
    const { client, reader, positions } = stream;
    const ends = reader.feedKeys.map((feedKey) => ({ feedKey, last: lasts.get(feedKey) ?? 0 }));
    // A list that was gained since is read from now on.
    for (const { feedKey, last } of ends) if (!positions.has(feedKey)) positions.set(feedKey, last);
    if ('send' in client) {
      for (const end of ends) await pump(stream, client, end);
      return;
    }
    const isBehind = ends.some(({ feedKey, last }) => (positions.get(feedKey) ?? 0) < last);
    if (!isBehind || stream.isOver || !client.isReady()) return;
    stream.positions = new Map(ends.map(({ feedKey, last }) => [feedKey, last]));
    client.tell(stream.positions);
  }

  async function round(): Promise<void> {
    const now = performance.now();
    if (now - checkedAt >= POLL_MS) {
      checkedAt = now;
      await Promise.all(all().map(check));
    }
    const open = all();
    if (open.length === 0) return;
    const keys = [...new Set(open.flatMap(({ reader }) => reader.feedKeys))];
    const lasts = await readPositions(database, keys);
    for (const stream of open) {
      await serve(stream, lasts).catch((error: unknown) => {
        log.warn({ event: 'notification.stream-failed', err: error });
        end(stream, 'unavailable');
      });
    }
  }

  /** One round after the other, so that no notification is sent twice. */
  function flush(): Promise<void> {
    const mine = running.then(round);
    running = mine.catch(() => undefined);
    return mine;
  }

  const loop = createPeriodicLoop({
    name: 'notification-streams',
    intervalMs: POLL_MS,
    maxBackoffMs: POLL_MS,
    log,
    run: flush,
  });
  const woken = wokenBy({ database, channel: notificationChannel(database) }, loop);

  const hub: NotificationHub = {
    async open(client, reader, from) {
      const open = all();
      if (open.filter((each) => each.reader.id === reader.id).length >= PER_READER) {
        throw new ServiceError('rate_limited', `At most ${PER_READER} streams of one reader are open at a time`, {
          retryAfterSeconds: RETRY_SECONDS,
        });
      }
      if (open.length >= PER_NODE) {
        const message = 'Too many streams are open; read the list instead, or try again later';
        throw new ServiceError('unavailable', message, { retryAfterSeconds: RETRY_SECONDS });
      }
      const known = [...from].filter(([key]) => reader.feedKeys.includes(key));
      const stream: Stream = { client, reader, positions: new Map(known), isOver: false };
      const slot = streams.add(stream);
      let isRemoved = false;
      const remove = () => {
        stream.isOver = true;
        if (!isRemoved) streams.remove(slot);
        isRemoved = true;
      };
      return remove;
    },
    flush,
    endAll(reason) {
      for (const stream of all()) end(stream, reason);
    },
    start: woken.start,
    async stop() {
      hub.endAll('stopping');
      await woken.stop();
    },
  };
  return hub;
}

function reasonOf(error: unknown): EndReason {
  if (!(error instanceof ServiceError)) return 'unavailable';
  if (error.status === 401) return 'unauthorized';
  return error.status === 403 ? 'forbidden' : 'unavailable';
}
