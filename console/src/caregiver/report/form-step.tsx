// One form of a report. It may be left empty; what is filled in must be right before the next step.
import { Button } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { startOf } from '../../forms/filled.ts';
import { FormView } from '../../forms/form-view.tsx';
import { IssueList } from '../../forms/issue-list.tsx';
import { useIssues } from '../../forms/use-issues.ts';
import { useLaunchContext } from '../../shared/launch-context.ts';
import { titleOf } from '../task/care-view.tsx';
import type { ReportDraft } from './draft.ts';
import { isAnswered, issuesOfSection, type Section } from './report.ts';

interface FormStepProps {
  readonly section: Section;
  readonly report: ReportDraft;
  readonly patientGuid: string | undefined;
  readonly onNext: () => void;
}

export function FormStep({ section, report, patientGuid, onNext }: FormStepProps) {
  const { t } = useTranslation();
  const { key, form } = section;
  const { draft } = report;
  const context = useLaunchContext(form, patientGuid);
  const filled = draft.filled[key] ?? startOf(form.items);
  const { issues, setIssues, summary } = useIssues();
  const check = () => issuesOfSection(section, filled, { future: t('values.report.future'), now: Date.now() });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = draft.filled[key] === undefined || !isTouched() ? undefined : check();
    setIssues(found);
    if (found === undefined || found.size === 0) onNext();
  };
  /** A number that cannot be read is something, too. */
  const isTouched = () =>
    isAnswered(section, draft) ||
    [...check().values()].some(({ kind }) => kind !== 'required' && kind !== 'requiredGroup');
  return (
    <form onSubmit={submit} noValidate>
      <h2>{titleOf(form)}</h2>
      {form.description !== undefined && <p>{form.description}</p>}
      <IssueList ref={summary} items={form.items} issues={issues} />
      <FormView
        form={form}
        filled={filled}
        issues={issues}
        isReadOnly={false}
        context={context}
        onChange={(next) => report.change({ filled: { ...draft.filled, [key]: next } })}
      />
      <p className="actions">
        <Button type="submit">{t('caregiver.report.next')}</Button>
      </p>
      <p className="quiet small">{t(report.isKept ? 'caregiver.report.kept' : 'caregiver.report.notKept')}</p>
    </form>
  );
}
