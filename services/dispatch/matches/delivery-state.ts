// What became of the dispatch of a match, for the requester (decision L6): the states of the outbox in fewer words.

import type { DeliveryStatus } from '../deliveries/lifecycle.ts';

export const DELIVERY_STATES = ['queued', 'sending', 'delivered', 'retrying', 'dead', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface DeliverySummary {
  readonly state: DeliveryState;
  readonly attempts: number;
  /** A class of failure, or why it is held or cancelled. */
  readonly lastError: string | undefined;
  /** When the next attempt is due; undefined while none is planned. */
  readonly nextAt: Date | undefined;
  readonly deliveredAt: Date | undefined;
}

/** The columns of a delivery beside its match; all undefined when the request has no delivery. */
export interface DeliveryColumns {
  readonly deliveryStatus: DeliveryStatus | undefined;
  readonly deliveryAttempts: number | undefined;
  readonly deliveryLastError: string | undefined;
  readonly deliveryCancelledReason: string | undefined;
  readonly deliveryNextAt: Date | undefined;
  readonly deliveredAt: Date | undefined;
}

/** Undefined when there is no webhook: the provider is served by the feed, or by the link. */
export function summarizeDelivery(columns: DeliveryColumns): DeliverySummary | undefined {
  const {
    deliveryStatus: status,
    deliveryAttempts: attempts = 0,
    deliveryLastError,
    deliveryCancelledReason,
  } = columns;
  if (status === undefined) return undefined;
  const isPlanned = status === 'queued' || status === 'waiting';
  return {
    state: stateOf(status, attempts),
    attempts,
    lastError: errorOf(status, deliveryLastError, deliveryCancelledReason),
    nextAt: isPlanned ? columns.deliveryNextAt : undefined,
    deliveredAt: columns.deliveredAt,
  };
}

/** A held delivery is queued or retrying without a time: its endpoint is disabled, and nothing is dropped. */
function stateOf(status: DeliveryStatus, attempts: number): DeliveryState {
  switch (status) {
    case 'waiting':
      return 'retrying';
    case 'held':
      return attempts === 0 ? 'queued' : 'retrying';
    default:
      return status;
  }
}

function errorOf(
  status: DeliveryStatus,
  lastError: string | undefined,
  cancelledReason: string | undefined,
): string | undefined {
  if (status === 'held') return lastError ?? 'endpoint_disabled';
  if (status !== 'cancelled') return lastError;
  // The reason of a refusal by consent is stored as the error, and says more.
  return cancelledReason === 'consent' ? (lastError ?? cancelledReason) : cancelledReason;
}
