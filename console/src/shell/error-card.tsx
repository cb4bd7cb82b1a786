// What went wrong, in words, with the number by which the server's log has it, and a way to try again.
import { Button } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Problem } from '../api/problem.ts';
import { UnreachableError } from '../api/session.ts';

interface ErrorCardProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

export function ErrorCard({ error, onRetry }: ErrorCardProps) {
  const { t } = useTranslation();
  const problem = error instanceof Problem ? error : undefined;
  return (
    <div className="alert" role="alert">
      <h2>{t('error.title')}</h2>
      <p>{errorText(error, t)}</p>
      {problem?.requestId !== undefined && (
        <p className="small">
          {t('error.reference')} <code>{problem.requestId}</code>
        </p>
      )}
      {onRetry !== undefined && (
        <p className="actions">
          <Button variant="default" onClick={onRetry}>
            {t('error.retry')}
          </Button>
        </p>
      )}
    </div>
  );
}

/** The sentence for an error: by its kind, never the server's own words, which are English. */
function errorText(error: unknown, t: TFunction): string {
  if (error instanceof UnreachableError) return t('error.offline');
  if (!(error instanceof Problem)) return t('error.broken');
  if (error.status === 401) return t('error.signedOut');
  if (error.status === 403) return t(error.code === 'consent_required' ? 'error.consent' : 'error.forbidden');
  if (error.status === 404) return t('error.missing');
  if (error.status === 410) return t('error.gone');
  if (error.status === 409 || error.status === 412) return t('error.changed');
  if (error.status === 429 || error.status === 503) return t('error.busy');
  return error.status < 500 ? t('error.refused') : t('error.broken');
}
