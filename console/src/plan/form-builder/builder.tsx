// The form builder: the questions on one side, on the other the form as it will be.
import './builder.css';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { Page } from '../../shell/page.tsx';
import { type Builder, BuilderProvider, useBuilder, useIssue } from './builder-context.ts';
import { DemandFields, type Holder } from './fields/demand-fields.tsx';
import { Section } from './fields/section.tsx';
import { TextFields } from './fields/text-fields.tsx';
import { VariableFields } from './fields/variable-fields.tsx';
import { ItemList } from './item-list.tsx';
import { sharedExpressionsIn } from './model/expressions.ts';
import { translationOf, withTranslation } from './model/extensions.ts';
import { isTranslated, otherLanguage, withoutTranslations } from './model/form.ts';
import { issuesOf } from './model/issues.ts';
import { NotRun } from './not-run.tsx';
import { Preview } from './preview.tsx';
import { SaveBar, ToDo } from './save-bar.tsx';
import { type Kept, useDraft } from './use-draft.ts';
import { useUnreadable } from './use-unreadable.ts';

interface FormBuilderProps {
  /** Under which the draft is kept in the tab. */
  readonly name: string;
  readonly start: () => Kept;
}

export function FormBuilder({ name, start }: FormBuilderProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const draft = useDraft(name, start);
  const { form } = draft;
  const [wantsBoth, setWantsBoth] = useState(false);
  const isBilingual = wantsBoth || isTranslated(form);
  const [showsAll, setShowsAll] = useState(false);
  const [opened, open] = useState<string>();
  const summary = useRef<HTMLDivElement>(null);
  const other = isBilingual ? otherLanguage(form) : undefined;
  const items = form.item ?? [];
  const unreadable = useUnreadable(form);
  const issues = [...issuesOf(form, other), ...unreadable];
  const changeForm: Holder['change'] = (changed, typing) => draft.change(changed(draft.form), typing);
  const builder: Builder = { draft, items, issues, other, showsAll, opened, open };
  return (
    <Page title={form.title?.trim() || t('formBuilder.untitled')}>
      <BuilderProvider value={builder}>
        <SaveBar
          summary={summary}
          onWant={() => setShowsAll(true)}
          onStored={(id) => {
            setShowsAll(false);
            void navigate({ to: '/plan/forms/$id', params: { id }, replace: true });
          }}
        />
        <ToDo ref={summary} />
        <NotRun form={form} />
        <p className="narrow-only">
          <a href="#preview">{t('formBuilder.toPreview')}</a>
        </p>
        <div className="panes">
          <div>
            <FormTexts />
            <CheckBox
              label={t('formBuilder.bilingual', { language: t(`formBuilder.language.${otherLanguage(form)}`) })}
              isChecked={isBilingual}
              onChange={(isOn) => {
                setWantsBoth(isOn);
                if (!isOn && isTranslated(form)) draft.change(withoutTranslations(form));
              }}
            />
            <Section name="whole" isUsed={sharedExpressionsIn(form).length > 0}>
              <VariableFields element={form} linkId={undefined} change={changeForm} />
              <DemandFields element={form} linkId={undefined} change={changeForm} />
            </Section>
            <h2>{t('formBuilder.questions')}</h2>
            <ItemList />
          </div>
          <Preview form={form} other={other} />
        </div>
      </BuilderProvider>
    </Page>
  );
}

function FormTexts() {
  const { t } = useTranslation();
  const { draft, other = 'en' } = useBuilder();
  const { form } = draft;
  return (
    <>
      <TextFields
        label={t('formBuilder.title')}
        description={t('formBuilder.titleHint')}
        error={useIssue(undefined, 'title')}
        value={form.title ?? ''}
        translation={translationOf(form._title, other) ?? ''}
        onChange={(title) => draft.change({ ...form, title }, 'title')}
        onTranslate={(text) => draft.change(withSibling(form, '_title', other, text), 'title.translation')}
      />
      <TextFields
        label={t('formBuilder.description')}
        isLong
        value={form.description ?? ''}
        translation={translationOf(form._description, other) ?? ''}
        onChange={(text) => {
          const { description: _, ...rest } = form;
          draft.change(text === '' ? rest : { ...rest, description: text }, 'description');
        }}
        onTranslate={(text) => draft.change(withSibling(form, '_description', other, text), 'description.translation')}
      />
    </>
  );
}

function withSibling(
  form: Kept['form'],
  name: '_title' | '_description',
  language: string,
  text: string,
): Kept['form'] {
  const { [name]: before, ...rest } = form;
  const next = withTranslation(before, language, text);
  return { ...rest, ...(next === undefined ? {} : { [name]: { ...before, ...next } }) };
}
