// What operators do with deliveries (decision D9): list them and their attempts, and replay dead letters.

import { conflict, notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import { type Actor, auditedBy } from '../shared/actor.ts';
import type { DeliveryStatus } from './lifecycle.ts';
import {
  type Attempt,
  countReplayable,
  type DeadCause,
  type Delivery,
  type DeliveryFilter,
  discardOne,
  findDelivery,
  listAttempts,
  listCauses,
  listDeliveries,
  type ReplayFilter,
  replayMany,
  replayOne,
} from './log-store.ts';
import { notifyWorkers } from './outbox-store.ts';

export type { Attempt, Delivery, DeliveryFilter, ReplayFilter } from './log-store.ts';

export interface DeliveryService {
  list(
    filter: DeliveryFilter,
    page: { limit: number; offset: number },
  ): Promise<{ deliveries: Delivery[]; total: number }>;
  /** @throws ServiceError `not_found` */
  read(deliveryGuid: string): Promise<{ delivery: Delivery; attempts: Attempt[] }>;
  /** Queues a dead letter again, under the same webhook-id. @throws ServiceError `not_found`, `conflict` */
  replay(actor: Actor, deliveryGuid: string): Promise<DeliveryStatus>;
  /** Queues all dead letters that match the filter; returns how many. */
  replayAll(actor: Actor, filter: ReplayFilter): Promise<number>;
  /**
   * Gives a dead letter up for good; nobody sends it again. The reason is stored with it, and the event is audited.
   * @throws ServiceError `not_found`, `conflict` when it is not dead any more
   */
  discard(actor: Actor, deliveryGuid: string, reason: string): Promise<void>;
  /** Dead letters by provider and cause, the most frequent first; at most 500. */
  causes(): Promise<DeadCause[]>;
  /** How many `replayAll` would queue now. */
  countReplayable(filter: ReplayFilter): Promise<number>;
}

const MOST_CAUSES = 500;

export interface DeliveryServiceOptions extends WriteDependencies {}

export function createDeliveryService({ database, clock, audit }: DeliveryServiceOptions): DeliveryService {
  async function requireDelivery(deliveryGuid: string): Promise<Delivery> {
    const delivery = isGuid(deliveryGuid) ? await findDelivery(database, deliveryGuid) : undefined;
    if (delivery === undefined) throw notFound('Delivery');
    return delivery;
  }

  return {
    causes: () => listCauses(database, MOST_CAUSES),
    countReplayable: (filter) => countReplayable(database, filter),
    list: (filter, page) => listDeliveries(database, filter, page),
    async read(deliveryGuid) {
      const delivery = await requireDelivery(deliveryGuid);
      return { delivery, attempts: await listAttempts(database, deliveryGuid) };
    },
    async replay(actor, deliveryGuid) {
      const { status: before } = await requireDelivery(deliveryGuid);
      return database.transaction(async (transaction) => {
        const status = await replayOne(transaction, deliveryGuid, new Date(clock.now()));
        if (status === undefined) {
          throw conflict(
            before === 'dead'
              ? 'The delivery is dead and its provider has no endpoint any more'
              : `The delivery is ${before}; only a dead one is replayed`,
          );
        }
        const entry = { action: 'E' as const, event: 'delivery.replay', entities: [`delivery/${deliveryGuid}`] };
        await audit.record(transaction, auditedBy(actor, entry));
        await notifyWorkers(transaction);
        return status;
      });
    },
    async discard(actor, deliveryGuid, reason) {
      const { status: before } = await requireDelivery(deliveryGuid);
      await database.transaction(async (transaction) => {
        if (!(await discardOne(transaction, deliveryGuid, { reason, now: new Date(clock.now()) })))
          throw conflict(
            `The delivery is ${before === 'dead' ? 'not dead any more' : before}; only a dead one is discarded`,
          );
        const entry = { action: 'E' as const, event: 'delivery.discard', entities: [`delivery/${deliveryGuid}`] };
        await audit.record(transaction, auditedBy(actor, entry));
      });
    },
    replayAll: (actor, filter) =>
      database.transaction(async (transaction) => {
        const count = await replayMany(transaction, filter, new Date(clock.now()));
        const detail = `${count} dead letters`;
        const entry = { action: 'E' as const, event: 'delivery.replay', entities: ['delivery'], detail };
        await audit.record(transaction, auditedBy(actor, entry));
        await notifyWorkers(transaction);
        return count;
      }),
  };
}
