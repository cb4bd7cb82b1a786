// All forms of the patient: first those to answer.
import { useTranslation } from 'react-i18next';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { useForms } from '../queries.ts';
import { FormList } from './form-list.tsx';

export function FormsPage() {
  const { t } = useTranslation();
  return (
    <Page title={t('forms.title')}>
      <Loaded query={useForms()}>
        {({ data }) => {
          const open = data.filter(({ status }) => status !== 'answered');
          const answered = data.filter(({ status }) => status === 'answered');
          return (
            <>
              <h2>{t('forms.open')}</h2>
              {open.length === 0 ? <Empty>{t('forms.none')}</Empty> : <FormList forms={open} />}
              {answered.length > 0 && (
                <>
                  <h2>{t('forms.done')}</h2>
                  <FormList forms={answered} />
                </>
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
