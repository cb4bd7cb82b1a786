// Writes the benchmark's queued deliveries and feed entries in bulk, as pushes write them.
import type { Transaction } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { dispatchedEnvelope, fillEnvelope } from '#services/dispatch/deliveries/envelope.ts';
import { insertDeliveries, type NewDelivery } from '#services/dispatch/deliveries/outbox-store.ts';
import { insertReceipts, type NewReceipt } from '#services/dispatch/deliveries/receipt-store.ts';
import { buildPushBundle } from '#services/dispatch/push/bundle.ts';
import { guidOf, ORGANISATION, patientOf, providerOf } from './content.ts';
import type { Finalized } from './fill.ts';
import { BASE_URL, type DispatchSite } from './site.ts';

const BATCH = 1000;

/** The bundle that a push of the request sends. */
export function bundleOf({ patientGuid, resource }: Finalized): string {
  const patient = { ...patientOf(0), id: patientGuid };
  const parts = { bundleGuid: newGuid(), baseUrl: BASE_URL, at: Date.now(), organisationGuid: ORGANISATION, forms: [] };
  return JSON.stringify(buildPushBundle({ ...parts, serviceRequest: resource, patient }));
}

/**
 * Queues a dispatch for each of so many requests, of all patients and providers in turn, in the caller's transaction.
 */
export async function queueDispatches(
  transaction: Transaction,
  { keys }: DispatchSite,
  wanted: {
    readonly original: Finalized;
    readonly count: number;
    readonly patients: number;
    readonly providers: number;
  },
): Promise<void> {
  const { original, count, patients, providers } = wanted;
  const template = bundleOf(original);
  for (let start = 0; start < count; start += BATCH) {
    const making = Array.from({ length: Math.min(BATCH, count - start) }, async (_, offset) => {
      const index = start + offset;
      const [requestGuid, serviceRequestId, bundleGuid] = [newGuid(), newGuid(), newGuid()];
      const [patientGuid, providerGuid] = [guidOf('patient', index % patients), providerOf(index % providers)];
      const { token, hash: tokenHash, keyId: tokenKey } = keys.makeToken(requestGuid);
      const bundle = template.replaceAll(original.id, serviceRequestId).replaceAll(original.patientGuid, patientGuid);
      const parties = { providerGuid, patientGuid, organisationGuid: providerGuid };
      const receipt: NewReceipt = { requestGuid, serviceRequestId, bundleGuid, tokenHash, tokenKey, ...parties };
      const envelope = dispatchedEnvelope(BASE_URL, requestGuid, Date.now());
      const { sha256: bodySha256 } = await fillEnvelope(envelope, { token, bundle });
      const message = { deliveryGuid: newGuid(), type: 'request.dispatched', envelope, bodySha256 } as const;
      const delivery: NewDelivery = { ...message, providerGuid, requestGuid };
      return { receipt, delivery, bundle };
    });
    const made = await Promise.all(making);
    const now = new Date();
    await transaction.query(
      `INSERT INTO push_bundle (bundle_guid, service_request_id, content, created_at)
       SELECT *, $4 FROM unnest($1::uuid[], $2::uuid[], $3::text[])`,
      [
        made.map(({ receipt }) => receipt.bundleGuid),
        made.map(({ receipt }) => receipt.serviceRequestId),
        made.map(({ bundle }) => bundle),
        now,
      ],
    );
    const receipts = made.map(({ receipt }) => receipt);
    await insertReceipts(transaction, receipts, now);
    const deliveries = made.map(({ delivery }) => delivery);
    await insertDeliveries(transaction, deliveries, now);
  }
}
