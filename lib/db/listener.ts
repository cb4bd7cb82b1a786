// LISTEN and NOTIFY. LISTEN has one dedicated connection for all channels of a Database. It opens with the first
// channel and reconnects by itself. Notifications during a reconnect are lost, so every listener is then called once
// with an empty payload and must check for changes.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type ConnectionOptions, type DatabaseLog, directConfig, endClient } from './connection.ts';
import type { Queryable } from './database.ts';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
/** Within this time a notification arrives, however busy the server is. */
const ECHO_MS = 10_000;

type Callback = (payload: string) => void;

export interface Listener {
  listen(channel: string, onNotification: Callback): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** Notifies all nodes that listen to the channel, when the transaction commits. */
export async function notify(db: Queryable, channel: string): Promise<void> {
  await db.query(`SELECT pg_notify($1, '')`, [channel]);
}

/** What a listener connects with. */
export interface ListenerSite {
  readonly options: ConnectionOptions;
  /** The connections over which the service notifies: each new connection is tried with them. */
  readonly pool: Queryable;
}

/** @param nextSite called for each attempt to connect */
export function createListener(nextSite: () => ListenerSite, log: DatabaseLog): Listener {
  const channels = new Map<string, Set<Callback>>();
  let client: pg.Client | undefined;
  /** The one that is being opened. */
  let opening: pg.Client | undefined;
  let connecting: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let isClosed = false;

  const sent = new WeakMap<pg.Client, Promise<unknown>>();

  /** One statement at a time, as the driver wants it. */
  function send(on: pg.Client, text: string): Promise<unknown> {
    const before = sent.get(on)?.catch(() => {}) ?? Promise.resolve();
    const sending = before.then(() => on.query(text));
    sent.set(on, sending);
    return sending;
  }

  function deliver(channel: string, payload: string): void {
    for (const callback of [...(channels.get(channel) ?? [])]) {
      try {
        callback(payload);
      } catch (error) {
        log('error', 'notification_failed', { channel, error: String(error) });
      }
    }
  }

  async function open(): Promise<void> {
    const site = nextSite();
    const { options } = site;
    const next = new pg.Client({ ...directConfig(options), pipeline: false });
    next.on('notification', ({ channel, payload }) => deliver(channel, payload ?? ''));
    next.on('error', () => {});
    opening = next;
    try {
      await next.connect();
      for (const channel of channels.keys()) await send(next, `LISTEN ${next.escapeIdentifier(channel)}`);
    } catch (error) {
      await endClient(next);
      reopenLater(error, options);
      return;
    } finally {
      opening = undefined;
    }
    if (isClosed) return endClient(next);
    client = next;
    next.once('end', () => lost(next, options));
    if (failures > 0) for (const channel of channels.keys()) deliver(channel, '');
    failures = 0;
    void requireEcho(next, site);
  }

  /**
   * Warns when what the pool notifies does not arrive. Behind a pooler of transactions LISTEN is lost with the
   * connection, and an address may lead to another database. The nodes then learn of each other's changes late.
   */
  async function requireEcho(on: pg.Client, { options, pool }: ListenerSite): Promise<void> {
    const own = `kedja_echo_${randomUUID().replaceAll('-', '')}`;
    const echo = Promise.withResolvers<boolean>();
    const hear = ({ channel }: pg.Notification) => channel === own && echo.resolve(true);
    on.on('notification', hear);
    on.once('end', () => echo.resolve(true));
    try {
      await send(on, `LISTEN ${own}`);
      await notify(pool, own);
      const late = setTimeout(() => echo.resolve(false), ECHO_MS).unref();
      const isHeard = await echo.promise;
      clearTimeout(late);
      if (!isHeard) log('warn', 'database_listen_without_echo', { schema: options.schema });
      await send(on, `UNLISTEN ${own}`);
    } catch {
      // Without its database nothing can be said; the next connection is tried again.
    } finally {
      on.off('notification', hear);
    }
  }

  function lost(ended: pg.Client, { schema }: ConnectionOptions): void {
    if (client !== ended) return;
    client = undefined;
    reopenLater(new Error('Connection terminated'), { schema });
  }

  function reopenLater(error: unknown, { schema }: Pick<ConnectionOptions, 'schema'>): void {
    if (isClosed) return;
    if (channels.size === 0) {
      connecting = undefined;
      return;
    }
    if (failures === 0) log('warn', 'database_listen_lost', { schema, error: String(error) });
    const pause = Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS) * (0.5 + Math.random() / 2);
    failures += 1;
    timer = setTimeout(() => {
      connecting = open();
    }, pause);
  }

  function forget(channel: string, callback: Callback): void {
    const callbacks = channels.get(channel);
    if (!callbacks?.delete(callback) || callbacks.size > 0) return;
    channels.delete(channel);
    // Nobody waits for it: nothing of the channel is delivered from now on, and the server may no longer respond.
    if (client !== undefined) void send(client, `UNLISTEN ${client.escapeIdentifier(channel)}`).catch(() => {});
  }

  async function listen(channel: string, onNotification: Callback): Promise<() => Promise<void>> {
    if (isClosed) throw new Error('The database is closed');
    const callbacks = channels.get(channel) ?? new Set();
    callbacks.add(onNotification);
    channels.set(channel, callbacks);
    if (connecting === undefined) connecting = open();
    else {
      await connecting;
      if (client !== undefined) await send(client, `LISTEN ${client.escapeIdentifier(channel)}`).catch(() => {});
    }
    await connecting;
    return async () => forget(channel, onNotification);
  }

  async function close(): Promise<void> {
    isClosed = true;
    clearTimeout(timer);
    // What it waits for may never come.
    if (opening !== undefined) await endClient(opening);
    await connecting;
    if (client !== undefined) await endClient(client);
  }

  return { listen, close };
}
