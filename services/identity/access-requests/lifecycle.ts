// The lifecycle of an access request as data (contract: identity, States; decision I11).

export type AccessRequestStatus = 'pending' | 'endorsed' | 'approved' | 'rejected';
export type AccessRequestDecision = Exclude<AccessRequestStatus, 'pending'>;

export const DECISIONS = ['endorsed', 'approved', 'rejected'] as const satisfies readonly AccessRequestDecision[];

/** From which states each decision may be taken. */
export const ALLOWED_FROM: Readonly<Record<AccessRequestDecision, readonly AccessRequestStatus[]>> = {
  endorsed: ['pending'],
  approved: ['pending', 'endorsed'],
  rejected: ['pending', 'endorsed'],
};
