// A provider's own view of its deliveries (decision L10). It shows what was sent and how its system answered, and the
// message itself while consent permits. One may be sent again under the same webhook-id.

import type { AuditEntry } from '#lib/audit/audit-event.ts';
import { actsAsStaff, providersOf } from '#lib/auth/provider-staff.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, notFound, ServiceError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { ConsentGate, GateQuestion, ReadGate } from '../../consent/service.ts';
import type { Actor } from '../../shared/actor.ts';
import type { KeyRing } from '../../shared/key-ring.ts';
import { matchAt } from '../../shared/match-lifecycle.ts';
import { auditedFor, requireActsFor } from '../../shared/providers/access.ts';
import { PROVIDER_GUID_PATTERN } from '../../shared/wire.ts';
import { fillEnvelope } from '../envelope.ts';
import { type DeliveryStatus, moveDelivery } from '../lifecycle.ts';
import {
  type Attempt,
  type Delivery,
  type DeliveryFilter,
  findDelivery,
  listAttempts,
  listDeliveries,
} from '../log-store.ts';
import { lockEndpoints, notifyWorkers } from '../outbox-store.ts';
import { findOwnMessage, isKnownProvider, type OwnMessage, readBundle, resendDelivery } from './store.ts';

const PROVIDER_GUID = new RegExp(PROVIDER_GUID_PATTERN);

/** A delivery of a provider. */
export interface OwnAddress {
  readonly providerGuid: string;
  readonly deliveryGuid: string;
}

export interface OwnDeliveryService {
  /** Newest first. @throws ServiceError `not_found` for another provider's, and one that is not known here */
  list(
    actor: Actor,
    filter: DeliveryFilter & { readonly providerGuid: string },
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ deliveries: Delivery[]; total: number }>;
  /** @throws ServiceError `not_found` */
  read(actor: Actor, address: OwnAddress): Promise<{ delivery: Delivery; attempts: Attempt[] }>;
  /**
   * The message as every attempt sends it, as JSON texts to be joined.
   * @throws ServiceError `not_found`, `consent_required`, `expired` when the request is closed for the provider,
   * `conflict` when the message cannot be built any more
   */
  payload(actor: Actor, address: OwnAddress): Promise<readonly string[]>;
  /**
   * Queues the delivery again under the same webhook-id, and returns its state. One that is due or being sent already
   * stays as it is.
   * @throws ServiceError `not_found`, `consent_required`, `expired`, `conflict` with the state
   */
  resend(actor: Actor, address: OwnAddress): Promise<DeliveryStatus>;
}

export interface OwnDeliveryOptions extends WriteDependencies {
  readonly gate: ConsentGate & ReadGate;
  readonly keys: KeyRing;
}

export function createOwnDeliveryService(options: OwnDeliveryOptions): OwnDeliveryService {
  const { database, clock, audit, gate, keys } = options;

  async function requireMessage(actor: Actor, address: OwnAddress): Promise<OwnMessage> {
    requireActsFor(actor.principal, address.providerGuid, 'Delivery');
    const message = isGuid(address.deliveryGuid) ? await findOwnMessage(database, address) : undefined;
    if (message === undefined) throw notFound('Delivery');
    return message;
  }

  /** The text of the message. Staff get the request's guid in place of the receipt token (docs/adr/0077). */
  async function bodyOf(message: OwnMessage, isForStaff: boolean): Promise<readonly string[]> {
    const { requestGuid, tokenKey, bundleGuid } = message;
    const isFilled = requestGuid !== undefined && tokenKey !== undefined;
    const token = isFilled ? keys.tokenOf(requestGuid, tokenKey) : undefined;
    const needsBundle = bundleGuid !== undefined && message.type === 'request.dispatched';
    const bundle = needsBundle ? await readBundle(database, bundleGuid) : undefined;
    const body = await fillEnvelope(message.envelope, {
      ...(token === undefined ? {} : { token }),
      ...(bundle === undefined ? {} : { bundle }),
    });
    if (!body.sha256.equals(message.bodySha256)) {
      throw conflict('The key that the message was made with is gone, so that it cannot be made again');
    }
    // No piece ends within a character.
    const texts = body.pieces.map((piece) => piece.toString('utf8'));
    if (!isForStaff || token === undefined || requestGuid === undefined) return texts;
    return texts.map((text) => text.replaceAll(token, requestGuid));
  }

  /** Returns an error that is to be thrown after the commit, which stores the decision of the gate. */
  async function again(transaction: Transaction, actor: Actor, address: OwnAddress): Promise<DeliveryStatus | Error> {
    await lockEndpoints(transaction, [address.providerGuid]);
    const message = await findOwnMessage(transaction, address, { isLocked: true });
    if (message === undefined) throw notFound('Delivery');
    if (message.status === 'queued' || message.status === 'sending') return message.status;
    if (moveDelivery(message.status, 'resend') === undefined) throw conflict(`The delivery is ${message.status}`);
    const question = questionOf(message, address);
    if (question !== undefined) {
      requireOpen(message, clock.now());
      const [decision] = await gate.decide(transaction, [question], contextOf(actor));
      if (decision?.permitted !== true) return consentRequired();
    }
    const again = { now: new Date(clock.now()), isAccepted: message.matchStatus === 'accepted' };
    const status = await resendDelivery(transaction, message.deliveryGuid, again);
    if (status === undefined) throw conflict('The provider has no endpoint; its feed has the request');
    await audit.record(transaction, auditedFor(actor, address.providerGuid, entryOf('resend', 'E', message)));
    await notifyWorkers(transaction);
    return status;
  }

  return {
    async list(actor, filter, page) {
      const { providerGuid } = filter;
      requireActsFor(actor.principal, providerGuid, 'Provider');
      const isOwn = providersOf(actor.principal).includes(providerGuid);
      const isKnown = isOwn || (PROVIDER_GUID.test(providerGuid) && (await isKnownProvider(database, providerGuid)));
      if (!isKnown) throw notFound('Provider');
      return listDeliveries(database, filter, page);
    },
    async read(actor, address) {
      const message = await requireMessage(actor, address);
      const delivery = await findDelivery(database, message.deliveryGuid);
      if (delivery === undefined) throw notFound('Delivery');
      await audit.recordRead(auditedFor(actor, address.providerGuid, entryOf('look', 'R', message)));
      return { delivery, attempts: await listAttempts(database, message.deliveryGuid) };
    },
    async payload(actor, address) {
      const message = await requireMessage(actor, address);
      const question = questionOf(message, address);
      if (question !== undefined) requireOpen(message, clock.now());
      return gate.decideRead(question === undefined ? [] : [question], contextOf(actor), async ([decision]) => {
        const isPermitted = question === undefined || decision?.permitted === true;
        const entry = { ...entryOf('payload', 'R', message), outcome: isPermitted ? 'success' : 'failure' } as const;
        await audit.recordRead(auditedFor(actor, address.providerGuid, entry));
        if (!isPermitted) throw consentRequired();
        return bodyOf(message, actsAsStaff(actor.principal, address.providerGuid));
      });
    },
    async resend(actor, address) {
      const { deliveryGuid } = await requireMessage(actor, address);
      const done = await database.transaction((transaction) => again(transaction, actor, { ...address, deliveryGuid }));
      if (done instanceof Error) throw done;
      return done;
    },
  };
}

/** The question for the gate; undefined for a message without data of the patient. */
function questionOf(message: OwnMessage, { providerGuid }: OwnAddress): GateQuestion | undefined {
  const { type, requestGuid, patientGuid = '', organisationGuid = '' } = message;
  if (type !== 'request.dispatched' || requestGuid === undefined) return undefined;
  return { patientGuid, organisationGuid, providerGuid, subject: `request/${requestGuid}` };
}

function contextOf({ principal, requestId }: Actor) {
  return { occasion: 'feed' as const, principal, ...(requestId === undefined ? {} : { requestId }) };
}

/** As in the feed: the bundle of a closed request is not shown. @throws ServiceError `expired` */
function requireOpen({ matchStatus, progress, respondBy }: OwnMessage, now: number): void {
  const status = matchStatus && matchAt({ status: matchStatus, respondBy }, now).status;
  if (progress !== 'rejected' && (status === 'pushed' || status === 'accepted')) return;
  throw new ServiceError('expired', `The request is closed for the provider: it is ${status ?? 'gone'}`);
}

function consentRequired(): ServiceError {
  return new ServiceError('consent_required', 'The consent of the patient is needed');
}

function entryOf(
  what: 'look' | 'payload' | 'resend',
  action: AuditEntry['action'],
  { deliveryGuid, patientGuid, serviceRequestId, requestGuid }: OwnMessage,
): Omit<AuditEntry, 'principal'> {
  const request = requestGuid === undefined ? [] : [`ServiceRequest/${serviceRequestId}`, `request/${requestGuid}`];
  return {
    action,
    event: `delivery.${what}`,
    entities: [`delivery/${deliveryGuid}`, ...request],
    ...(patientGuid === undefined ? {} : { patientGuid }),
  };
}
