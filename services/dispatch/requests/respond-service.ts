// Accepts or rejects a request by its receipt token (decision D11): the holder of the token acts for the provider.
import type { Audit } from '#lib/audit/audit.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import type { ServiceError } from '#lib/errors.ts';
import type { Outbox } from '../deliveries/outbox-service.ts';
import type { Notifier } from '../notifications/notify-service.ts';
import type { ApplyProgress } from '../service-requests/completion-service.ts';
import { hashToken } from '../shared/key-ring.ts';
import { findReceiptByToken, isEndedLink, type ReceiptRecord, requireReceipt } from './feed/feed-store.ts';
import { lockOpenMatch } from './open-match.ts';
import type { LockedMatch, Settlement } from './settlement.ts';

export type ResponseDecision = 'accepted' | 'rejected';

export interface RespondInput {
  readonly token: string;
  readonly decision: ResponseDecision;
  readonly reason: string | undefined;
  /** Address and id of the HTTP request, for the audit record. */
  readonly address: string | undefined;
  readonly requestId: string | undefined;
}

export interface RespondService {
  /** Whether the token was ever sent or handed over. */
  knows(token: string): Promise<boolean>;
  /**
   * Returns the request's guid. Repeating the same decision changes nothing.
   * @throws ServiceError `not_found` for an unknown token, `expired`, `conflict`, `already_taken`
   */
  respond(input: RespondInput): Promise<string>;
}

export interface RespondServiceOptions {
  readonly database: Database;
  readonly audit: Audit;
  readonly outbox: Outbox;
  readonly settlement: Settlement;
  readonly applyProgress: ApplyProgress;
  readonly notifier: Notifier;
}

export function createRespondService(options: RespondServiceOptions): RespondService {
  const { database, audit, outbox, settlement, applyProgress, notifier } = options;

  async function settle(transaction: Transaction, claim: LockedMatch, input: RespondInput): Promise<boolean> {
    const { decision, reason } = input;
    const settled =
      decision === 'accepted'
        ? await settlement.accept(transaction, claim)
        : await settlement.reject(transaction, claim, reason);
    return settled !== claim.match;
  }

  async function record(transaction: Transaction, receipt: ReceiptRecord, input: RespondInput): Promise<void> {
    await audit.record(transaction, {
      action: 'U',
      event: `request.${input.decision === 'accepted' ? 'accept' : 'reject'}`,
      principal: undefined,
      patientGuid: receipt.patientGuid,
      entities: [`ServiceRequest/${receipt.serviceRequestId}`, `request/${receipt.requestGuid}`],
      detail: `by receipt token, for provider ${receipt.providerGuid}`,
      ...(input.address === undefined ? {} : { address: input.address }),
      ...(input.requestId === undefined ? {} : { requestId: input.requestId }),
    });
  }

  /** Returns an error that is to be thrown after the commit. */
  async function answer(
    transaction: Transaction,
    receipt: ReceiptRecord,
    input: RespondInput,
  ): Promise<ServiceError | undefined> {
    const { serviceRequestId, requestGuid } = receipt;
    const { claim, refused } = await lockOpenMatch(transaction, receipt, options);
    if (refused !== undefined) return refused;
    if (!(await settle(transaction, claim, input))) return undefined;
    await outbox.touch(transaction, [requestGuid]);
    await record(transaction, receipt, input);
    await applyProgress(transaction, { serviceRequestId, principal: undefined });
    await notifier.notify(transaction, { kind: `request_${input.decision}`, serviceRequestId, requestGuid });
    return undefined;
  }

  return {
    async knows(token) {
      const hash = hashToken(token);
      return (await findReceiptByToken(database, hash)) !== undefined || isEndedLink(database, hash);
    },
    async respond(input) {
      const receipt = await requireReceipt(database, hashToken(input.token));
      const refused = await database.transaction((transaction) => answer(transaction, receipt, input));
      if (refused !== undefined) throw refused;
      return receipt.requestGuid;
    },
  };
}
