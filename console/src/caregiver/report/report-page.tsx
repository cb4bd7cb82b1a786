// Reports what was done, one step at a time. The steps are measured values, each form, and at last all of it to be read
// before it is sent. The step is in the address; what is filled in is kept in the tab.
import { Button } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { startOf } from '../../forms/filled.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { type Details, useDetails } from '../details.ts';
import { type Task, useTask } from '../queries.ts';
import { titleOf } from '../task/care-view.tsx';
import { Answers } from './answers.tsx';
import { type ReportDraft, useReportDraft } from './draft.ts';
import { FormStep } from './form-step.tsx';
import { isAnswered, sectionsOf } from './report.ts';
import { Review } from './review.tsx';

export function ReportPage() {
  const { t } = useTranslation();
  const { guid = '' } = useParams({ strict: false }) as { guid?: string };
  const task = useTask(guid);
  const status = task.data?.status;
  const draft = useReportDraft(guid);
  // What was sent may have closed the task: sent again under its key, it gets the answer that was lost.
  const isOpen = status === 'accepted' || status === 'in_progress' || draft.sending !== undefined;
  const details = useDetails(guid, isOpen || status === 'completed');
  return (
    <Page title={t('caregiver.report.title')}>
      <p>
        <Link to="/care/tasks/$guid" params={{ guid }}>
          {t('caregiver.report.back')}
        </Link>
      </p>
      <Loaded query={task}>
        {(found) =>
          isOpen ? (
            <Loaded query={details}>{(read) => <Steps task={found} details={read} draft={draft} />}</Loaded>
          ) : (
            <Over task={found} details={details.data} draft={draft} />
          )
        }
      </Loaded>
    </Page>
  );
}

interface OverProps {
  readonly task: Task;
  /** Undefined where the plan is not shown any more. */
  readonly details: Details | undefined;
  readonly draft: ReportDraft;
}

/** A task that takes no reports, and what was filled in for it and never sent. */
function Over({ task, details, draft }: OverProps) {
  const { t } = useTranslation();
  const sections = details === undefined ? [] : sectionsOf(details);
  const left = sections.filter((section) => isAnswered(section, draft.draft));
  return (
    <>
      <p className="note">{t(task.status === 'completed' ? 'caregiver.task.completed' : 'caregiver.report.over')}</p>
      {left.length > 0 && (
        <section className="card" aria-labelledby="left">
          <h2 id="left">{t('caregiver.report.left')}</h2>
          <p>{t('caregiver.report.leftLead')}</p>
          {left.map(({ key, form }) => (
            <Answers key={key} items={form.items} filled={draft.draft.filled[key] ?? startOf([])} />
          ))}
          <p className="actions">
            <Button variant="default" onClick={draft.drop}>
              {t('caregiver.report.drop')}
            </Button>
          </p>
        </section>
      )}
    </>
  );
}

interface StepsProps {
  readonly task: Task;
  readonly details: Details;
  readonly draft: ReportDraft;
}

function Steps({ task, details, draft }: StepsProps) {
  const { t } = useTranslation();
  const guid = task.request_guid;
  const sections = sectionsOf(details);
  const { step: wanted } = useSearch({ strict: false }) as { step?: unknown };
  const step = Math.min(Math.max(0, Number(wanted) || 0), sections.length);
  const navigate = useNavigate();
  const goTo = (next: number) =>
    void navigate({ to: '/care/tasks/$guid/report', params: { guid }, search: next === 0 ? {} : { step: next } });
  const section = sections[step];
  const titles = [...sections.map(({ form }) => titleOf(form)), t('caregiver.report.review')];
  const part = useFocusAtStep(step);
  return (
    <>
      <p className="quiet">{[task.title, task.patient?.name].filter((part) => part != null).join(' · ')}</p>
      <nav aria-label={t('caregiver.report.steps')}>
        <ol className="steps">
          {titles.map((title, index) => {
            const at = sections[index];
            const isDone = at !== undefined && isAnswered(at, draft.draft);
            return (
              <li
                key={at?.key ?? 'review'}
                aria-current={index === step ? 'step' : undefined}
                data-done={isDone ? '' : undefined}
              >
                {index === step ? (
                  title
                ) : (
                  <Link to="/care/tasks/$guid/report" params={{ guid }} search={index === 0 ? {} : { step: index }}>
                    {title}
                  </Link>
                )}
              </li>
            );
          })}
        </ol>
      </nav>
      <section ref={part} className="focus-start" tabIndex={-1} aria-label={titles[step]}>
        {section === undefined ? (
          <Review guid={guid} sections={sections} report={draft} onStep={goTo} />
        ) : (
          <FormStep
            key={section.key}
            section={section}
            report={draft}
            patientGuid={task.patient?.patient_guid}
            onNext={() => goTo(step + 1)}
          />
        )}
      </section>
    </>
  );
}

/** Each step but the first begins with the focus, as a screen does. */
function useFocusAtStep(step: number): RefObject<HTMLElement | null> {
  const part = useRef<HTMLElement>(null);
  const last = useRef(step);
  useEffect(() => {
    if (last.current === step) return;
    last.current = step;
    part.current?.focus();
  }, [step]);
  return part;
}
