// One task: who asks and how to reach them, what may be done next, and, once it is accepted, the plan.
import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { dayText, momentText } from '../../i18n/format.ts';
import { LoadedScreen } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { type Task, useTask } from '../queries.ts';
import { useDueText } from '../tasks/due-text.ts';
import { StateBadge } from '../tasks/state-badge.tsx';
import { CareView } from './care-view.tsx';
import { Decision } from './decision.tsx';
import { ConsentNote, Questions } from './questions.tsx';
import { Reports } from './reports.tsx';
import { RequesterCard } from './requester-card.tsx';
import { Work } from './work.tsx';

export function TaskPage() {
  const { t } = useTranslation();
  const { guid = '' } = useParams({ strict: false }) as { guid?: string };
  return (
    <>
      <p>
        <Link to="/care">{t('caregiver.task.back')}</Link>
      </p>
      <LoadedScreen query={useTask(guid)}>
        {(task) => (
          <Page title={task.title ?? t('caregiver.untitled')}>
            <Head task={task} />
            {isAsked(task) && <ConsentNote guid={guid} />}
            <Next task={task} />
            {task.requester !== null && <RequesterCard requester={task.requester} />}
            {isTaken(task) && <Reports task={task} />}
            {isTaken(task) && <CareView guid={guid} />}
            {isAsked(task) && <Questions guid={guid} canAsk={task.status !== 'completed'} />}
          </Page>
        )}
      </LoadedScreen>
    </>
  );
}

function isTaken({ status }: Task): boolean {
  return status === 'accepted' || status === 'in_progress' || status === 'completed';
}

/** Whether there are, or were, questions to who sends it. */
function isAsked({ status }: Task): boolean {
  return status !== 'rejected' && status !== 'withdrawn';
}

function Head({ task }: { readonly task: Task }) {
  const { t } = useTranslation();
  const due = useDueText()(task);
  const { patient, responsible, reported_by: reporter } = task;
  return (
    <div className="card">
      <div className="row">
        <strong>{patient?.name ?? t('caregiver.someone')}</strong>
        <StateBadge task={task} />
      </div>
      <dl className="facts">
        {typeof patient?.birth_date === 'string' && (
          <>
            <dt>{t('caregiver.task.born')}</dt>
            <dd>{dayText(patient.birth_date)}</dd>
          </>
        )}
        {due !== undefined && (
          <>
            <dt>{t('caregiver.task.time')}</dt>
            <dd className={due.isLate ? 'bad' : undefined}>{due.text}</dd>
          </>
        )}
        <dt>{t('caregiver.task.received')}</dt>
        <dd>{momentText(task.received_at)}</dd>
        {responsible !== undefined && (
          <>
            <dt>{t('caregiver.task.responsible')}</dt>
            <dd>{responsible.name ?? t('caregiver.colleague')}</dd>
          </>
        )}
        {reporter !== undefined && (
          <>
            <dt>{t('caregiver.task.reported')}</dt>
            <dd>{reporter.name ?? t('caregiver.colleague')}</dd>
          </>
        )}
      </dl>
    </div>
  );
}

/** What may be done now; for a task that is over, why nothing may. */
function Next({ task }: { readonly task: Task }) {
  const { t } = useTranslation();
  if (task.pending_decision !== null) return <p className="note">{t('caregiver.task.pending')}</p>;
  switch (task.status) {
    case 'received':
      return <Decision guid={task.request_guid} />;
    case 'accepted':
    case 'in_progress':
      return <Work task={task} />;
    case 'completed':
      return <p className="note">{t('caregiver.task.completed')}</p>;
    case 'rejected':
      return <p className="note">{withReason(t('caregiver.task.rejected'), task.reason)}</p>;
    case 'withdrawn':
      return (
        <p className="note">
          {t(
            task.reason === 'already_taken' || task.reason === 'taken'
              ? 'caregiver.task.taken'
              : 'caregiver.task.withdrawn',
          )}
        </p>
      );
    default:
      return task.status satisfies never;
  }
}

function withReason(words: string, reason: string | null): string {
  return reason === null ? words : `${words} ${reason}`;
}
