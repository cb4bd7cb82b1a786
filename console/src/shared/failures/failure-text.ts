// Why an attempt to deliver failed, in the same words for planners, caregivers and administrators: dispatch's classes
// of failure (docs/reference/dispatch-delivery.md).
import { useTranslation } from 'react-i18next';

const FAILURES = [
  ...(['refused', 'server_error', 'redirected', 'gone', 'timeout', 'connection_refused', 'connection_lost'] as const),
  ...(['name_not_resolved', 'tls_failed', 'address_refused', 'network_error', 'interrupted'] as const),
  ...(['key_missing', 'body_differs'] as const),
] as const;

/** Undefined for what is no class of failure. */
export function failureIn(cause: string | null | undefined): (typeof FAILURES)[number] | undefined {
  return FAILURES.find((each) => each === cause);
}

export function useFailureText(): (cause: string | null) => string {
  const { t } = useTranslation();
  return (cause) => t(`failure.${failureIn(cause) ?? 'other'}`);
}
