// Why a delivery was given up, in words: dispatch's classes of failure (docs/reference/dispatch-delivery.md).
import { useTranslation } from 'react-i18next';

const KNOWN = [
  ...(['refused', 'server_error', 'redirected', 'gone', 'timeout', 'connection_refused', 'connection_lost'] as const),
  ...(['name_not_resolved', 'tls_failed', 'address_refused', 'network_error', 'key_missing', 'body_differs'] as const),
] as const;

export function useCauseText(): (cause: string | null) => string {
  const { t } = useTranslation();
  return (cause) => {
    const known = KNOWN.find((each) => each === cause);
    return known === undefined ? t('admin.cause.other', { cause: cause ?? '' }) : t(`admin.cause.${known}`);
  };
}
