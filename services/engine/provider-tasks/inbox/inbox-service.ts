// Receives dispatch's webhooks (decisions D8, E10). It verifies the signature over the raw bytes and the timestamp.
// Each message has its effect once, in any order and however often it is sent.
import type { AuditAction } from '#lib/audit/audit-event.ts';
import { servicePrincipal } from '#lib/auth/service-credentials.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import { verifyLongWebhook, verifyWebhookHeaders, type WebhookVerdict } from '#lib/webhook/signature.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { ReadBundles } from '../bundle-reader.ts';
import { moveTask } from '../lifecycle.ts';
import { hashReceipt } from '../receipt.ts';
import { requesterView } from '../requester-view.ts';
import { insertTask, insertWithdrawn, lockTask, type NewTask, updateTask } from '../task-store.ts';
import { findInbox, insertMessage } from './inbox-store.ts';
import type { WebhookMessage } from './webhook-message.ts';

export interface ReceivedWebhook {
  readonly providerGuid: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface InboxService {
  /** Checks the headers of a webhook before its body is read. @throws ServiceError `unauthorized` */
  admit(webhook: Omit<ReceivedWebhook, 'body'>): Promise<void>;
  /**
   * Handles a webhook. Resolves when its effect is stored, and also when it was stored before.
   * @throws ServiceError `unauthorized`; `expired` when the inbox is closed; `unprocessable` for a message that cannot
   * be read
   */
  receive(webhook: ReceivedWebhook): Promise<void>;
}

export interface InboxDependencies extends WriteDependencies {
  readonly log: Logger;
  readonly sealer: Sealer;
  readonly readBundles: ReadBundles;
}

/** The principal that signs the webhooks. */
const SENDER = servicePrincipal('dispatch');

/** Resolves to the request that the message changed; undefined when it changed nothing. */
type Effect = (tx: Transaction, at: Date) => Promise<Changed | undefined>;

interface Changed {
  readonly action: AuditAction;
  readonly event: string;
  readonly requestGuid: string;
  readonly patientGuid: string | undefined;
}

export function createInboxService(deps: InboxDependencies): InboxService {
  const { database, clock, log } = deps;
  return {
    async admit({ providerGuid, headers }) {
      // The cheaper check comes first.
      requireVerdict(verifyWebhookHeaders(headers, Math.floor(clock.now() / 1000)));
      await secretOf(providerGuid, deps);
    },
    async receive(webhook) {
      const at = new Date(clock.now());
      await requireSignature(webhook, deps);
      const webhookId = String(webhook.headers['webhook-id']);
      const message = await deps.readBundles({ kind: 'webhook', body: webhook.body }, webhook.providerGuid);
      const effect = effectOf(message, webhook.providerGuid, deps);
      const isNew = await database.transaction(async (tx) => {
        if (!(await insertMessage(tx, { providerGuid: webhook.providerGuid, webhookId }, at))) return false;
        await record(tx, await effect(tx, at), deps);
        return true;
      });
      log.info({ event: 'inbox.received', provider: webhook.providerGuid, webhookId, isNew });
    },
  };
}

/**
 * An unknown provider and a wrong signature get the same error. Only a caller who can sign learns that an inbox is
 * closed.
 */
async function requireSignature(webhook: ReceivedWebhook, deps: InboxDependencies): Promise<void> {
  const { providerGuid, headers, body } = webhook;
  const { secret, isOpen } = await secretOf(providerGuid, deps);
  requireVerdict(await verifyLongWebhook({ headers, body }, [secret], Math.floor(deps.clock.now() / 1000)));
  if (!isOpen) throw new ServiceError('expired', 'The inbox is closed');
}

/** @throws ServiceError `unauthorized` for a provider without an inbox */
async function secretOf(
  providerGuid: string,
  { database, sealer }: InboxDependencies,
): Promise<{ secret: string; isOpen: boolean }> {
  const inbox = isGuid(providerGuid) ? await findInbox(database, providerGuid) : undefined;
  if (inbox?.secret_sealed == null) throw new ServiceError('unauthorized', 'The webhook is not signed for this inbox');
  return { secret: sealer.open(inbox.secret_sealed, providerGuid), isOpen: inbox.enabled };
}

function requireVerdict(verdict: WebhookVerdict): void {
  if (verdict === 'valid') return;
  throw new ServiceError('unauthorized', `The webhook is not signed for this inbox (${verdict})`);
}

/** @throws ServiceError `unprocessable` */
function effectOf(message: WebhookMessage, providerGuid: string, { sealer }: InboxDependencies): Effect {
  switch (message.kind) {
    case 'dispatched':
      return dispatched(message, providerGuid, sealer);
    case 'closed':
      return closed({ requestGuid: message.requestGuid, providerGuid }, message.reason);
    case 'ping':
      return async () => undefined;
    default:
      return message satisfies never;
  }
}

function dispatched(
  { requestGuid, receiptToken, facts, bundle }: Extract<WebhookMessage, { kind: 'dispatched' }>,
  providerGuid: string,
  sealer: Sealer,
): Effect {
  const task: NewTask = {
    requestGuid,
    providerGuid,
    receiptHash: hashReceipt(receiptToken),
    receiptSealed: sealer.seal(receiptToken, requestGuid),
    ...facts,
    requester: requesterView(facts.requester),
    bundle,
  };
  return async (tx, at) => {
    const { patientGuid } = facts;
    const isNew = await insertTask(tx, task, at);
    return isNew ? { action: 'C', event: 'provider-task.receive', requestGuid, patientGuid } : undefined;
  };
}

function closed(ids: { requestGuid: string; providerGuid: string }, reason: string): Effect {
  return async (tx, at) => {
    await insertWithdrawn(tx, ids, reason, at);
    const task = await lockTask(tx, ids.requestGuid);
    if (task === undefined || task.provider_guid !== ids.providerGuid) return undefined;
    const status = moveTask(task.status, 'withdraw');
    if (status === undefined) return undefined;
    await updateTask(tx, ids.requestGuid, { status, pendingDecision: null, reason }, at);
    const patientGuid = task.patient_guid ?? undefined;
    return { action: 'U', event: 'provider-task.withdraw', requestGuid: ids.requestGuid, patientGuid };
  };
}

async function record(tx: Transaction, changed: Changed | undefined, { audit }: InboxDependencies): Promise<void> {
  if (changed === undefined) return;
  const { action, event, requestGuid, patientGuid } = changed;
  const about = { entities: [`request:${requestGuid}`], ...(patientGuid === undefined ? {} : { patientGuid }) };
  await audit.record(tx, { action, event, principal: SENDER, ...about });
}
