// Why something did not reach a provider, in words: dispatch's classes of failure and refusal
// (docs/reference/dispatch-delivery.md), several of which say the same to a person.
import { useTranslation } from 'react-i18next';

const WORDS = {
  consent_denied: 'denied',
  consent_missing: 'missing',
  consent_cannot_be_evaluated: 'unclear',
  consent: 'denied',
  network_error: 'unreachable',
  timeout: 'unreachable',
  name_not_resolved: 'unreachable',
  connection_refused: 'unreachable',
  connection_lost: 'unreachable',
  tls_failed: 'unreachable',
  address_refused: 'unreachable',
  server_error: 'failed',
  refused: 'failed',
  redirected: 'failed',
  gone: 'closed',
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
    const word = Object.entries(WORDS).find(([known]) => known === reason)?.[1];
    return t(`planner.reason.${word ?? 'other'}`);
  };
}
