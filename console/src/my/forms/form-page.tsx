// One form of the patient: to answer, to correct, or as it was answered.

import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { QuestionnaireResponse } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../api/clients.ts';
import { startOf } from '../../forms/filled.ts';
import type { Form } from '../../forms/form.ts';
import { FormView } from '../../forms/form-view.tsx';
import { dayText } from '../../i18n/format.ts';
import { currentLanguage } from '../../i18n/i18n.ts';
import { useLaunchContext, useOwnPatientGuid } from '../../shared/launch-context.ts';
import { LoadedScreen } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { FormEditor } from './form-editor.tsx';
import type { PatientForm } from './form-list.tsx';

function useForm(guid: string) {
  return useQuery({
    queryKey: ['form', guid],
    queryFn: () => readForm(guid),
    // What is being typed is newer than what a second read would find.
    refetchOnWindowFocus: false,
  });
}

/** Its document describes form and responses by schemas of their own (docs/reference/patient.md). */
export interface OpenForm extends PatientForm {
  readonly render_ready: Form;
  readonly draft: QuestionnaireResponse | null;
  readonly answer: QuestionnaireResponse | null;
}

async function readForm(guid: string): Promise<OpenForm> {
  return (await read(dispatch.GET('/api/v1/patient-forms/{guid}', { params: { path: { guid } } }))) as OpenForm;
}

export function FormPage() {
  const { t } = useTranslation();
  const { guid = '' } = useParams({ strict: false }) as { guid?: string };
  return (
    <LoadedScreen query={useForm(guid)}>
      {(open) => {
        const form = open.render_ready;
        const title = form.translations?.[currentLanguage()] ?? form.title;
        return (
          <Page title={title}>
            {form.description !== undefined && <p>{form.description}</p>}
            {open.can_change ? (
              <FormEditor key={guid} open={open} form={form} />
            ) : (
              <>
                <p className="note">
                  {open.answered_at === null
                    ? t('forms.closed')
                    : t('forms.answeredAt', { day: dayText(open.answered_at) })}
                </p>
                <Answered form={form} response={open.answer} />
              </>
            )}
          </Page>
        );
      }}
    </LoadedScreen>
  );
}

interface AnsweredProps {
  readonly form: Form;
  readonly response: QuestionnaireResponse | null;
}

const NO_ISSUES = new Map();

function Answered({ form, response }: AnsweredProps) {
  const filled = startOf(form.items, { item: response?.item ?? [] });
  const context = useLaunchContext(form, useOwnPatientGuid());
  return (
    <FormView form={form} filled={filled} issues={NO_ISSUES} isReadOnly context={context} onChange={() => undefined} />
  );
}
