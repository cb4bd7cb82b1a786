// Who has read the data of the patient: one's own, or those of the person for whom one acts.
import { useTranslation } from 'react-i18next';
import { actingFor } from '../api/acting.ts';
import { AccessLog } from '../clinical/access-log.tsx';
import { Page } from '../shell/page.tsx';

export function LogPage() {
  const { t } = useTranslation();
  const isOwn = actingFor() === undefined;
  return (
    <Page title={t('log.title')}>
      <p>{t(isOwn ? 'log.lead' : 'log.leadOfOther')}</p>
      <AccessLog none={t(isOwn ? 'log.none' : 'log.noneOfOther')} />
    </Page>
  );
}
