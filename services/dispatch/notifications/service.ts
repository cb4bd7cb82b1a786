// Reads notifications and marks them as read (docs/adr/0070). Whose they are is decided at each reading.

import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../shared/actor.ts';
import { entriesOfReading } from './access-service.ts';
import { readerOf } from './audience.ts';
import { writeCursor } from './cursor.ts';
import {
  findMark,
  listNotifications,
  markRead,
  type Notification,
  type NotificationFilter,
  readPositions,
} from './store.ts';

export type { Notification, NotificationFilter } from './store.ts';

export interface NotificationList {
  readonly notifications: readonly Notification[];
  readonly total: number;
  readonly unread: number;
  readonly cursor: string;
}

export interface NotificationService {
  /** Newest first. */
  list(
    actor: Actor,
    filter: NotificationFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<NotificationList>;
  /** Returns when it was read first. @throws ServiceError `not_found` */
  read(actor: Actor, guid: string): Promise<Date>;
  /** Marks all that the caller sees; returns how many were unread. */
  readAll(actor: Actor): Promise<number>;
}

export interface NotificationServiceOptions extends WriteDependencies {}

export function createNotificationService(options: NotificationServiceOptions): NotificationService {
  const { database, clock, audit } = options;
  return {
    async list(actor, filter, page) {
      const reader = readerOf(actor.principal);
      // Read before the list, so that the stream misses nothing that the list does not show.
      const cursor = writeCursor(await readPositions(database, reader.feedKeys));
      const found = await listNotifications(database, reader, filter, page);
      await audit.recordRead(...entriesOfReading(actor, found.notifications));
      return { ...found, cursor };
    },
    async read(actor, guid) {
      const reader = readerOf(actor.principal);
      if (!isGuid(guid)) throw notFound('Notification');
      await markRead(database, reader, { guid, now: new Date(clock.now()) });
      const readAt = await findMark(database, reader, guid);
      if (readAt === undefined) throw notFound('Notification');
      return readAt;
    },
    readAll: (actor) => markRead(database, readerOf(actor.principal), { guid: undefined, now: new Date(clock.now()) }),
  };
}
