// What the rest of dispatch tells providers: a request is dispatched, or closed. Receipt, feed position and webhook are
// written in the caller's transaction, so they stand or fall with the change they tell of (decisions D6, D8, D10).
import type { Clock } from '#lib/clock.ts';
import type { Queryable } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import type { KeyRing } from '../shared/key-ring.ts';
import { closedEnvelope, dispatchedEnvelope, fillEnvelope, pingEnvelope } from './envelope.ts';
import {
  type CancelReason,
  cancelDispatches,
  cancelForProvider,
  holdDeliveries,
  insertDeliveries,
  lockEndpoints,
  type NewDelivery,
  releaseDeliveries,
} from './outbox-store.ts';
import { insertBundle, insertReceipts, lockFeeds, touchRequests } from './receipt-store.ts';

export interface Dispatch {
  readonly serviceRequestId: string;
  readonly patientGuid: string;
  /** JSON text of the `collection` Bundle, sent as it is. */
  readonly bundle: string;
  readonly recipients: readonly DispatchRecipient[];
  /** From when on nobody may answer, and nothing is sent any more. */
  readonly respondBy?: Date | undefined;
}

export interface DispatchRecipient {
  readonly requestGuid: string;
  readonly providerGuid: string;
  /** The organisation whose consent was asked for. */
  readonly organisationGuid: string;
}

export interface RequestAddress {
  readonly requestGuid: string;
  readonly providerGuid: string;
}

/** Why a provider need not answer or work any more. */
export type Closing = Extract<CancelReason, 'withdrawn' | 'revoked' | 'expired'>;

export interface Outbox {
  /**
   * Writes receipts, feed entries and webhooks. Answers the guid of each request's delivery, where the provider has an
   * endpoint.
   */
  dispatch(transaction: Queryable, dispatch: Dispatch): Promise<ReadonlyMap<string, string>>;
  /**
   * Tells the providers that their requests are closed: what was not delivered yet is cancelled, the feed shows the
   * change, and a notice is queued (`request.revoked`, else `request.withdrawn` with the reason).
   */
  close(transaction: Queryable, requests: readonly RequestAddress[], closing: Closing): Promise<void>;
  /** Cancels what was not delivered yet to a provider that has turned the request down: it knows, and needs no data. */
  decline(transaction: Queryable, requestGuid: string): Promise<void>;
  /**
   * To be called first by a transaction that tells several providers in several steps: takes all locks in one order, so
   * that two such transactions do not wait for each other in a circle.
   */
  lock(transaction: Queryable, providerGuids: readonly string[]): Promise<void>;
  /** Shows in their providers' feeds that the requests have changed. */
  touch(transaction: Queryable, requestGuids: readonly string[]): Promise<void>;
  /** Keeps back what waits for a provider whose endpoint has been disabled. */
  hold(transaction: Queryable, providerGuid: string): Promise<void>;
  /** Queues what was held for a provider whose endpoint has been enabled. */
  release(transaction: Queryable, providerGuid: string): Promise<void>;
  /** Cancels what waits for a provider whose endpoint is removed: it reads the feed from now on. */
  abandon(transaction: Queryable, providerGuid: string): Promise<void>;
  /** Queues a ping; undefined when the provider has no endpoint. */
  ping(transaction: Queryable, providerGuid: string): Promise<string | undefined>;
}

export interface OutboxOptions {
  readonly clock: Clock;
  readonly keys: KeyRing;
  /** Where providers answer: the address of dispatch's API, `/api/v1` included, without slash at its end. */
  readonly baseUrl: string;
}

export function createOutbox({ clock, keys, baseUrl }: OutboxOptions): Outbox {
  async function dispatch(transaction: Queryable, wanted: Dispatch): Promise<ReadonlyMap<string, string>> {
    const now = clock.now();
    const { serviceRequestId, patientGuid, bundle, recipients, respondBy } = wanted;
    const bundleGuid = newGuid(now);
    const tokens = recipients.map(({ requestGuid }) => keys.makeToken(requestGuid));
    await insertBundle(transaction, { bundleGuid, serviceRequestId, content: bundle }, new Date(now));
    const receipts = recipients.flatMap((recipient, index) => {
      const token = tokens[index];
      if (token === undefined) return [];
      const receipt = { ...recipient, serviceRequestId, patientGuid, bundleGuid };
      return [{ ...receipt, tokenHash: token.hash, tokenKey: token.keyId }];
    });
    const deliveries: NewDelivery[] = [];
    for (const [index, { requestGuid, providerGuid }] of recipients.entries()) {
      const envelope = dispatchedEnvelope(baseUrl, requestGuid, now);
      const { sha256 } = await fillEnvelope(envelope, { token: tokens[index]?.token ?? '', bundle });
      deliveries.push({
        deliveryGuid: newGuid(now),
        providerGuid,
        requestGuid,
        type: 'request.dispatched',
        envelope,
        bodySha256: sha256,
        expiresAt: respondBy,
      });
    }
    await lockEndpoints(transaction, providersOf(recipients));
    await insertReceipts(transaction, receipts, new Date(now));
    const queued = await insertDeliveries(transaction, deliveries, new Date(now));
    return new Map(
      deliveries.flatMap(({ requestGuid, deliveryGuid }) =>
        requestGuid !== undefined && queued.has(deliveryGuid) ? [[requestGuid, deliveryGuid] as const] : [],
      ),
    );
  }

  async function close(transaction: Queryable, requests: readonly RequestAddress[], closing: Closing): Promise<void> {
    if (requests.length === 0) return;
    const now = clock.now();
    const guids = requests.map(({ requestGuid }) => requestGuid);
    await lockEndpoints(transaction, providersOf(requests));
    await cancelDispatches(transaction, guids, closing, new Date(now));
    const type = closing === 'revoked' ? 'request.revoked' : 'request.withdrawn';
    const notices: NewDelivery[] = [];
    for (const { requestGuid, providerGuid } of requests) {
      const envelope = closedEnvelope(type, requestGuid, closing, now);
      const { sha256 } = await fillEnvelope(envelope, {});
      notices.push({ deliveryGuid: newGuid(now), providerGuid, requestGuid, type, envelope, bodySha256: sha256 });
    }
    await insertDeliveries(transaction, notices, new Date(now));
    await touchRequests(transaction, guids, new Date(now));
  }

  async function ping(transaction: Queryable, providerGuid: string): Promise<string | undefined> {
    const now = clock.now();
    const envelope = pingEnvelope(providerGuid, now);
    const deliveryGuid = newGuid(now);
    const { sha256: bodySha256 } = await fillEnvelope(envelope, {});
    const wanted: NewDelivery = {
      deliveryGuid,
      providerGuid,
      requestGuid: undefined,
      type: 'ping',
      envelope,
      bodySha256,
    };
    await lockEndpoints(transaction, [providerGuid]);
    const queued = await insertDeliveries(transaction, [wanted], new Date(now));
    return queued.has(deliveryGuid) ? deliveryGuid : undefined;
  }

  return {
    dispatch,
    close,
    async lock(transaction, providerGuids) {
      await lockEndpoints(transaction, providerGuids);
      await lockFeeds(transaction, providerGuids);
    },
    decline: (transaction, requestGuid) =>
      cancelDispatches(transaction, [requestGuid], 'rejected', new Date(clock.now())),
    touch: (transaction, requestGuids) => touchRequests(transaction, requestGuids, new Date(clock.now())),
    hold: (transaction, providerGuid) => holdDeliveries(transaction, providerGuid, new Date(clock.now())),
    release: (transaction, providerGuid) => releaseDeliveries(transaction, providerGuid, new Date(clock.now())),
    abandon: (transaction, providerGuid) => cancelForProvider(transaction, providerGuid, new Date(clock.now())),
    ping,
  };
}

function providersOf(items: readonly { readonly providerGuid: string }[]): string[] {
  return items.map(({ providerGuid }) => providerGuid);
}
