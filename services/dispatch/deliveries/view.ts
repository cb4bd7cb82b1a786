// The JSON of deliveries and their attempts (decision D9), for HTTP and for the command line.
import type { Static } from 'typebox';
import { type AdministeredDelivery, type AttemptView, type DeliveryView, toAttemptSummary } from './schema.ts';
import type { Attempt, Delivery } from './service.ts';

export function toView(delivery: Delivery): Static<typeof DeliveryView> {
  return {
    delivery_guid: delivery.deliveryGuid,
    provider_guid: delivery.providerGuid,
    request_guid: delivery.requestGuid ?? null,
    type: delivery.type,
    status: delivery.status,
    attempts_made: delivery.attempt,
    failures: delivery.failures,
    next_at: momentOf(delivery.nextAt),
    last_error: delivery.lastError ?? null,
    cancelled_reason: delivery.cancelledReason ?? null,
    created_at: delivery.createdAt.toISOString(),
    updated_at: delivery.updatedAt.toISOString(),
    delivered_at: momentOf(delivery.deliveredAt),
    dead_at: momentOf(delivery.deadAt),
  };
}

/** With what administrators alone read. */
export function toAdministeredView(delivery: Delivery): Static<typeof AdministeredDelivery> {
  return { ...toView(delivery), discard_reason: delivery.discardReason ?? null };
}

export function toAttemptView(attempt: Attempt): Static<typeof AttemptView> {
  return { ...toAttemptSummary(attempt), answer: attempt.answer ?? null };
}

function momentOf(date: Date | undefined): string | null {
  return date?.toISOString() ?? null;
}
