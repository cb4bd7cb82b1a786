// An address at which there is no screen.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Page } from './page.tsx';

export function NotFound() {
  const { t } = useTranslation();
  return (
    <Page title={t('missing.title')}>
      <p>{t('missing.text')}</p>
      <p>
        <Link to="/">{t('missing.home')}</Link>
      </p>
    </Page>
  );
}
