// Why something did not reach a provider, in words: dispatch's classes of failure, and its reasons not to send
// (docs/reference/dispatch-delivery.md). Several of which say the same to a person.
import { useTranslation } from 'react-i18next';
import { failureIn } from '../../../shared/failures/failure-text.ts';

const WORDS = {
  consent_denied: 'denied',
  consent_missing: 'missing',
  consent_cannot_be_evaluated: 'unclear',
  consent: 'denied',
  endpoint_disabled: 'closed',
  endpoint_removed: 'closed',
  discarded: 'discarded',
  withdrawn: 'withdrawn',
  taken: 'taken',
  completed: 'done',
  revoked: 'revoked',
  expired: 'expired',
  rejected: 'rejected',
} as const;

export function useReasonText(): (reason: string) => string {
  const { t } = useTranslation();
  return (reason) => {
    const failure = failureIn(reason);
    if (failure !== undefined) return t(`failure.${failure}`);
    const word = Object.entries(WORDS).find(([known]) => known === reason)?.[1];
    return t(`planner.reason.${word ?? 'other'}`);
  };
}

const MAIL_WORDS = {
  address_refused: 'address_refused',
  message_refused: 'message_refused',
  deferred: 'deferred',
  expired: 'expired',
  authentication: 'server',
  tls: 'server',
  timeout: 'server',
  unreachable: 'server',
} as const;

/** Why a mail did not get through: the outcomes of docs/reference/mail.md. */
export function useMailCauseText(): (cause: string) => string {
  const { t } = useTranslation();
  return (cause) => {
    const word = Object.entries(MAIL_WORDS).find(([known]) => known === cause)?.[1];
    return t(`planner.link.mail.cause.${word ?? 'other'}`);
  };
}
