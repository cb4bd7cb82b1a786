// Accepts or rejects a request (decision D11). The caller names it by its receipt token, and then acts for the
// provider, or by its guid with credentials of the provider (docs/adr/0077).
import type { Audit } from '#lib/audit/audit.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { StaffPerson } from '#lib/auth/provider-staff.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { notFound, type ServiceError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { Outbox } from '../deliveries/outbox-service.ts';
import type { Notifier } from '../notifications/notify-service.ts';
import type { ApplyProgress } from '../service-requests/completion-service.ts';
import { hashToken } from '../shared/key-ring.ts';
import { auditedFor, type MayReport, reporterOf } from '../shared/providers/access.ts';
import { findReceipt, findReceiptByToken, isEndedLink, type ReceiptRecord, requireReceipt } from './feed/feed-store.ts';
import { lockOpenMatch } from './open-match.ts';
import type { LockedMatch, Settlement } from './settlement.ts';

export type ResponseDecision = 'accepted' | 'rejected';

/** A receipt token; or the guid of the request, with a caller who has the permission to report. */
export interface RespondAddress {
  readonly token: string;
  readonly principal?: Principal | undefined;
}

export interface RespondInput extends RespondAddress {
  readonly decision: ResponseDecision;
  readonly reason: string | undefined;
  /** The person of a provider that the engine hosts. */
  readonly by?: StaffPerson | undefined;
  /** Address and id of the HTTP request, for the audit record. */
  readonly address: string | undefined;
  readonly requestId: string | undefined;
}

export interface RespondService {
  /** Whether the token was ever sent or handed over, or the caller acts for the request's provider. */
  knows(address: RespondAddress): Promise<boolean>;
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
  readonly mayReport: MayReport;
}

export function createRespondService(options: RespondServiceOptions): RespondService {
  const { database, audit, outbox, settlement, applyProgress, notifier, mayReport } = options;

  async function settle(transaction: Transaction, claim: LockedMatch, input: RespondInput): Promise<boolean> {
    const { decision, reason, principal } = input;
    const by = principal && reporterOf(principal, input.by);
    const settled =
      decision === 'accepted'
        ? await settlement.accept(transaction, claim, by)
        : await settlement.reject(transaction, claim, reason);
    return settled !== claim.match;
  }

  async function record(transaction: Transaction, receipt: ReceiptRecord, input: RespondInput): Promise<void> {
    const { principal, address, requestId, by } = input;
    const entry = {
      action: 'U' as const,
      event: `request.${input.decision === 'accepted' ? 'accept' : 'reject'}`,
      patientGuid: receipt.patientGuid,
      entities: [`ServiceRequest/${receipt.serviceRequestId}`, `request/${receipt.requestGuid}`],
    };
    if (principal !== undefined) {
      const named = principal.kind === 'service' && by !== undefined ? { detail: `by user ${by.userGuid}` } : {};
      const actor = { principal, address, requestId };
      await audit.record(transaction, auditedFor(actor, receipt.providerGuid, { ...entry, ...named }));
      return;
    }
    await audit.record(transaction, {
      ...entry,
      principal,
      detail: `by receipt token, for provider ${receipt.providerGuid}`,
      ...(address === undefined ? {} : { address }),
      ...(requestId === undefined ? {} : { requestId }),
    });
  }

  /** The request of the provider that the caller acts for. */
  async function ownReceipt(requestGuid: string, principal: Principal): Promise<ReceiptRecord | undefined> {
    const receipt = isGuid(requestGuid) ? await findReceipt(database, requestGuid) : undefined;
    return receipt !== undefined && (await mayReport(principal, receipt.providerGuid)) ? receipt : undefined;
  }

  /** @throws ServiceError `not_found`, `expired` for a link that was withdrawn */
  async function receiptOf({ token, principal }: RespondAddress): Promise<ReceiptRecord> {
    if (principal === undefined) return requireReceipt(database, hashToken(token));
    const receipt = await ownReceipt(token, principal);
    if (receipt === undefined) throw notFound('Request');
    return receipt;
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
    await applyProgress(transaction, { serviceRequestId, principal: input.principal });
    const notice = { serviceRequestId, requestGuid, by: input.principal };
    await notifier.notify(transaction, { ...notice, kind: `request_${input.decision}` });
    return undefined;
  }

  return {
    async knows({ token, principal }) {
      if (principal !== undefined) return (await ownReceipt(token, principal)) !== undefined;
      const hash = hashToken(token);
      return (await findReceiptByToken(database, hash)) !== undefined || isEndedLink(database, hash);
    },
    async respond(input) {
      const receipt = await receiptOf(input);
      const refused = await database.transaction((transaction) => answer(transaction, receipt, input));
      if (refused !== undefined) throw refused;
      return receipt.requestGuid;
    },
  };
}
