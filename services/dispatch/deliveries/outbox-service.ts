// The outbox: notifies providers that a request is dispatched or closed. It writes receipt, feed position and webhook
// in the caller's transaction, so they commit with the change or not at all (decisions D6, D8, D10).
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
  /** JSON text of the `collection` Bundle, which is sent unchanged. */
  readonly bundle: string;
  readonly recipients: readonly DispatchRecipient[];
  /** Deadline: after it nobody may respond, and nothing is sent. */
  readonly respondBy?: Date | undefined;
}

export interface DispatchRecipient {
  readonly requestGuid: string;
  readonly providerGuid: string;
  /** The organisation for which consent was asked. */
  readonly organisationGuid: string;
}

export interface RequestAddress {
  readonly requestGuid: string;
  readonly providerGuid: string;
}

/** Why a provider need not respond or work any more. */
export type Closing = Extract<CancelReason, 'withdrawn' | 'revoked' | 'expired'>;

export interface Outbox {
  /**
   * Writes receipts, feed entries and webhooks. Returns the delivery guid of each request whose provider has an
   * endpoint.
   */
  dispatch(transaction: Queryable, dispatch: Dispatch): Promise<ReadonlyMap<string, string>>;
  /**
   * Closes requests for their providers: cancels what was not delivered, updates the feed, and queues a notice
   * (`request.revoked`, else `request.withdrawn` with the reason).
   */
  close(transaction: Queryable, requests: readonly RequestAddress[], closing: Closing): Promise<void>;
  /** Cancels what was not delivered to a provider that has rejected the request, as it needs no data. */
  decline(transaction: Queryable, requestGuid: string): Promise<void>;
  /**
   * Locks endpoints and feeds of all these providers in one order. A transaction that notifies several providers in
   * several steps calls it first, so that two of them cannot deadlock.
   */
  lock(transaction: Queryable, providerGuids: readonly string[]): Promise<void>;
  /** Moves the requests to the end of their providers' feeds. */
  touch(transaction: Queryable, requestGuids: readonly string[]): Promise<void>;
  /** Holds the deliveries of a provider whose endpoint was disabled. */
  hold(transaction: Queryable, providerGuid: string): Promise<void>;
  /** Queues held deliveries of a provider whose endpoint was enabled. */
  release(transaction: Queryable, providerGuid: string): Promise<void>;
  /** Cancels the deliveries of a provider whose endpoint is removed: it reads the feed from now on. */
  abandon(transaction: Queryable, providerGuid: string): Promise<void>;
  /** Queues a ping; undefined when the provider has no endpoint. */
  ping(transaction: Queryable, providerGuid: string): Promise<string | undefined>;
}

export interface OutboxOptions {
  readonly clock: Clock;
  readonly keys: KeyRing;
  /** The public address of the API, with `/api/v1` and without slash at the end, for the response addresses. */
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
