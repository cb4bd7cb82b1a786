// A screen that failed: its file could not be loaded, or it has a issue. Typed text of other screens is untouched.
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorCard } from './error-card.tsx';
import { Page } from './page.tsx';

export function RouteError({ error }: { readonly error: unknown }) {
  const { t } = useTranslation();
  const router = useRouter();
  return (
    <Page title={t('error.title')}>
      <ErrorCard error={error} onRetry={() => void router.invalidate()} />
    </Page>
  );
}
