// The list of audit events for SU admins (decision G9): who signed in, who decided what about whom. Each read is
// recorded.
import type { Audit } from '#lib/audit/audit.ts';
import type { Database } from '#lib/db/database.ts';
import { isGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import { type RecordedEvent, readRecordedEvent } from './recorded-event.ts';
import * as store from './store.ts';

export type { AuditFilter, AuditPosition } from './store.ts';

export type ListedEvent = Omit<store.AuditRow, 'resource'> & RecordedEvent;

export interface AuditList {
  /** The newest first. Reads one event more than `limit`, so that the caller knows whether there is a next page. */
  page(
    actor: Actor,
    filter: store.AuditFilter,
    page: { before: store.AuditPosition | null; limit: number; offset: number },
  ): Promise<{ events: ListedEvent[]; hasMore: boolean }>;
  count(filter: store.AuditFilter): Promise<number>;
}

export function createAuditList({ database, audit }: { database: Database; audit: Audit }): AuditList {
  return {
    async page(actor, filter, { before, limit, offset }) {
      const rows = await store.readPage(database, filter, { before, limit: limit + 1, offset });
      const { userGuid } = filter;
      const subject = userGuid !== null && isGuid(userGuid) ? { subjectGuid: userGuid } : {};
      await audit.recordRead({ action: 'R', event: 'audit.list', ...subject, ...actor });
      const events = rows.slice(0, limit).map(({ resource, ...row }) => ({ ...row, ...readRecordedEvent(resource) }));
      return { events, hasMore: rows.length > limit };
    },
    count: (filter) => store.count(database, filter),
  };
}
