// Writes notifications with the events that they are about (docs/adr/0070), and hints to all nodes that there are some.
import type { Principal } from '#lib/auth/principal.ts';
import type { Transaction } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import { findDispatches, insertNotifications, isUnread, lockOrganisationFeed } from './notify-store.ts';
import type { NotificationKind } from './schema.ts';

/** Notified after the commit; streams also poll. */
export const notificationChannel = ({ schema }: { readonly schema: string }) => `kedja_${schema}_notification`;
const HINT = {
  name: 'notification-hint',
  text: `SELECT pg_notify('kedja_' || current_schema() || '_notification', '')`,
};

/** What a notification is about: a request, or a CarePlan or a patient without one. */
export type NoticeSubject =
  | { readonly serviceRequestId: string; readonly carePlan?: never }
  | { readonly carePlan: NoticedPlan; readonly serviceRequestId?: never };

/** A plan; without its guid the patient of the organisation alone. */
export interface NoticedPlan {
  readonly careplanGuid?: string;
  readonly patientGuid: string;
  readonly organisationGuid: string;
}

export type Notice = NoticeSubject & {
  readonly kind: NotificationKind;
  readonly requestGuid?: string | undefined;
  /** The provider that is notified, or the patient; else the requester, or the planners of the CarePlan. */
  readonly toProvider?: string;
  readonly isToPatient?: boolean;
  /** Who did it; they are not notified of it themselves. */
  readonly by?: Principal | undefined;
};

export interface Notifier {
  /** Call it last in the transaction of the event: the lists of notifications stay locked until the commit. */
  notify(transaction: Transaction, ...notices: readonly Notice[]): Promise<void>;
  /** The same about a patient, unless the organisation has such a notification that nobody has read. */
  notifyUnlessUnread(
    transaction: Transaction,
    notice: Notice,
    about: { readonly patientGuid: string; readonly organisationGuid: string },
  ): Promise<void>;
  /** Notifies requesters and providers of dispatches that were given up. */
  notifyDead(transaction: Transaction, deliveryGuids: readonly string[]): Promise<void>;
  /** Notifies requesters of dispatches that the patient's consent no longer permits. */
  notifyBlocked(transaction: Transaction, deliveryGuids: readonly string[]): Promise<void>;
}

export interface NotifierOptions extends WorkDependencies {}

export function createNotifier({ database, clock, log }: NotifierOptions): Notifier {
  let isHinting = false;

  /** Many commits at once are one hint. */
  function hint(): void {
    if (isHinting) return;
    isHinting = true;
    setImmediate(() => {
      isHinting = false;
      database.query(HINT).catch((error: unknown) => log.debug({ event: 'notification.unhinted', err: error }));
    });
  }

  async function notify(transaction: Transaction, ...notices: readonly Notice[]): Promise<void> {
    if (notices.length === 0) return;
    const now = clock.now();
    const written = notices.map(({ by, isToPatient = false, ...notice }) => ({
      notificationGuid: newGuid(now),
      serviceRequestId: undefined,
      carePlan: undefined,
      requestGuid: undefined,
      toProvider: undefined,
      ...notice,
      isToPatient,
      byId: by?.id,
    }));
    await insertNotifications(transaction, written, new Date(now));
    transaction.afterCommit(hint);
  }

  return {
    notify,
    async notifyUnlessUnread(transaction, notice, { patientGuid, organisationGuid }) {
      const feedKey = await lockOrganisationFeed(transaction, organisationGuid);
      const { kind, serviceRequestId = null, carePlan } = notice;
      const wanted = { feedKey, patientGuid, kind, serviceRequestId, careplanGuid: carePlan?.careplanGuid ?? null };
      if (!(await isUnread(transaction, wanted))) await notify(transaction, notice);
    },
    async notifyDead(transaction, deliveryGuids) {
      const dead = await findDispatches(transaction, deliveryGuids);
      const notices = dead.flatMap(({ requestGuid, serviceRequestId, providerGuid }) => {
        const notice = { kind: 'delivery_dead' as const, serviceRequestId, requestGuid };
        return [notice, { ...notice, toProvider: providerGuid }];
      });
      await notify(transaction, ...notices);
    },
    async notifyBlocked(transaction, deliveryGuids) {
      const blocked = await findDispatches(transaction, deliveryGuids);
      const notices = blocked.map(({ requestGuid, serviceRequestId }) => {
        return { kind: 'delivery_blocked' as const, serviceRequestId, requestGuid };
      });
      await notify(transaction, ...notices);
    },
  };
}
