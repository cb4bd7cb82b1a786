// Who has read the patient's own data.
import { useTranslation } from 'react-i18next';
import { AccessLog } from '../clinical/access-log.tsx';
import { Page } from '../shell/page.tsx';

export function LogPage() {
  const { t } = useTranslation();
  return (
    <Page title={t('log.title')}>
      <p>{t('log.lead')}</p>
      <AccessLog none={t('log.none')} />
    </Page>
  );
}
