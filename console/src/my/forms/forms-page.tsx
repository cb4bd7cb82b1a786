// All forms of the patient: first those to answer.
import { useTranslation } from 'react-i18next';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { TwoLists } from '../../shell/two-lists.tsx';
import { useForms } from '../queries.ts';
import { FormList } from './form-list.tsx';

export function FormsPage() {
  const { t } = useTranslation();
  return (
    <Page title={t('forms.title')}>
      <Loaded query={useForms()}>
        {({ data }) => (
          <TwoLists
            entries={data}
            isFirst={({ status }) => status !== 'answered'}
            first={{ title: t('forms.open'), empty: t('forms.none') }}
            othersTitle={t('forms.done')}
          >
            {(forms) => <FormList forms={forms} />}
          </TwoLists>
        )}
      </Loaded>
    </Page>
  );
}
