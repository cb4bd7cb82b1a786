// Locks the match of a pushed request before a provider responds or reports (decision D11). A push past its deadline
// expires instead: the expiry is committed before the error is returned.
import type { Transaction } from '#lib/db/database.ts';
import { notFound, type ServiceError } from '#lib/errors.ts';
import { type ExpiryOptions, expireOverdue } from './deadline-job.ts';
import { type LockedMatch, refusal } from './settlement.ts';

export type OpenMatch =
  | { readonly claim: LockedMatch; readonly refused?: never }
  /** An error to throw after the commit. */
  | { readonly refused: ServiceError; readonly claim?: never };

/** @throws ServiceError `not_found` */
export async function lockOpenMatch(
  transaction: Transaction,
  { serviceRequestId, requestGuid }: { readonly serviceRequestId: string; readonly requestGuid: string },
  options: ExpiryOptions,
): Promise<OpenMatch> {
  const claim = await options.settlement.lock(transaction, serviceRequestId, requestGuid);
  if (claim === undefined) throw notFound('Request');
  if (!options.settlement.isOverdue(claim.match)) return { claim };
  await expireOverdue(transaction, serviceRequestId, options);
  return { refused: refusal({ ...claim.match, status: 'expired' }, 'accept') };
}
