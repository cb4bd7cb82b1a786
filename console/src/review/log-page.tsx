// Who has read or changed the data of one patient, for a privacy officer. Of the patient only the id is shown.
import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { FilteredAccessLog } from '../clinical/filtered-log.tsx';
import { CopyButton } from '../shared/copy.tsx';
import { Page } from '../shell/page.tsx';

export function LogPage() {
  const { t } = useTranslation();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return (
    <Page title={t('review.title')}>
      <p>
        {t('review.of')} <code>{id}</code> <CopyButton text={id} label={t('review.of')} />
      </p>
      <p>
        <Link to="/review">{t('review.another')}</Link>
      </p>
      <FilteredAccessLog key={id} patient={id} none={t('review.none')} />
    </Page>
  );
}
