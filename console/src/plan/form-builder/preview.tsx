// The form as it will be, beside the questions: shown and filled in by the renderer that patients and caregivers have.
import { Button } from '@mantine/core';
import type { Questionnaire } from 'fhir/r5';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { buildRenderReady } from '../../../../fhir/forms/questionnaire/render-ready.ts';
import { startOf } from '../../forms/filled.ts';
import { type Form, inLanguage } from '../../forms/form.ts';
import { FormView } from '../../forms/form-view.tsx';
import { IssueList } from '../../forms/issue-list.tsx';
import { type FormIssue, issuesOf } from '../../forms/issues.ts';
import { currentLanguage } from '../../i18n/i18n.ts';
import { useLaunchContext } from '../../shared/launch-context.ts';
import type { FormLanguage } from './model/form.ts';

interface PreviewProps {
  readonly form: Questionnaire;
  /** Undefined for a form in one language. */
  readonly other: FormLanguage | undefined;
}

export function Preview({ form: given, other }: PreviewProps) {
  const { t } = useTranslation();
  // What is typed appears at once, and the preview a moment later.
  const questionnaire = useDeferredValue(given);
  const [language, setLanguage] = useState<FormLanguage>(currentLanguage());
  const form = useMemo(() => {
    const ready: Form = JSON.parse(JSON.stringify(buildRenderReady({ ...questionnaire }, questionnaire.id ?? '')));
    return other === undefined ? ready : inLanguage(ready, language);
  }, [questionnaire, other, language]);
  const [filled, setFilled] = useState(() => startOf(form.items));
  const [issues, setIssues] = useState<ReadonlyMap<string, FormIssue>>();
  const summary = useRef<HTMLDivElement>(null);
  // Of no patient: what looks at one is said at its question.
  const context = useLaunchContext(form, undefined);
  const shown = form.title === 'Form' && (given.title ?? '') === '' ? t('formBuilder.untitled') : form.title;
  return (
    <section className="preview card" id="preview" aria-labelledby="preview-title">
      <div className="row">
        <h2 id="preview-title">{t('formBuilder.preview')}</h2>
        {other !== undefined && (
          <button type="button" className="plain-button" onClick={() => setLanguage(language === 'sv' ? 'en' : 'sv')}>
            {t('formBuilder.previewIn', { language: t(`formBuilder.language.${language === 'sv' ? 'en' : 'sv'}`) })}
          </button>
        )}
      </div>
      {form.items.length === 0 ? (
        <p className="quiet">{t('formBuilder.previewEmpty')}</p>
      ) : (
        <>
          <p className="quiet">{t('formBuilder.previewLead')}</p>
          <h3>{shown}</h3>
          {form.description !== undefined && <p>{form.description}</p>}
          {issues !== undefined && <IssueList ref={summary} items={form.items} issues={issues} />}
          <FormView
            form={form}
            filled={filled}
            issues={issues ?? new Map()}
            isReadOnly={false}
            context={context}
            onChange={(next) => {
              setFilled(next);
              setIssues(undefined);
            }}
          />
          {issues?.size === 0 && <p role="status">{t('formBuilder.allFine')}</p>}
          <p className="actions">
            <Button variant="default" onClick={() => setIssues(issuesOf(form.items, filled))}>
              {t('formBuilder.tryAnswers')}
            </Button>
            <Button
              variant="default"
              onClick={() => {
                setFilled(startOf(form.items));
                setIssues(undefined);
              }}
            >
              {t('formBuilder.startAgain')}
            </Button>
          </p>
        </>
      )}
    </section>
  );
}
