// All forms of the patient: first those to answer.
import { useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { TwoLists } from '../../shell/two-lists.tsx';
import { useForms } from '../queries.ts';
import { FormList } from './form-list.tsx';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The reader comes from a form that was sent. */
    isFormSent?: boolean;
  }
}

export function FormsPage() {
  const { t } = useTranslation();
  const isSent = useRouterState({ select: ({ location }) => location.state.isFormSent === true });
  return (
    <Page title={t('forms.title')}>
      {isSent && (
        <p role="status" className="note">
          {t('forms.sent')}
        </p>
      )}
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
