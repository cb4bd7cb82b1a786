// Tasks as cards: what, for whom, who asks, when it is due, and who is responsible.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Task } from '../queries.ts';
import { useDueText } from './due-text.ts';
import { StateBadge } from './state-badge.tsx';

export function TaskList({ tasks }: { readonly tasks: readonly Task[] }) {
  return (
    <ul className="cards">
      {tasks.map((task) => (
        <TaskCard key={task.request_guid} task={task} />
      ))}
    </ul>
  );
}

function TaskCard({ task }: { readonly task: Task }) {
  const { t } = useTranslation();
  const dueText = useDueText();
  const { requester, responsible } = task;
  const due = dueText(task);
  return (
    <li className="card">
      <div className="row">
        <Link to="/care/tasks/$guid" params={{ guid: task.request_guid }}>
          <strong>{task.title ?? t('caregiver.untitled')}</strong>
        </Link>
        <StateBadge task={task} />
      </div>
      <p>{task.patient?.name ?? t('caregiver.someone')}</p>
      {due !== undefined && <p className={due.isLate ? 'bad' : undefined}>{due.text}</p>}
      <p className="quiet">
        {[
          requester?.unit ?? requester?.person ?? undefined,
          responsible && t('caregiver.responsible', { name: responsible.name ?? t('caregiver.colleague') }),
        ]
          .filter((part) => part !== undefined)
          .join(' · ')}
      </p>
    </li>
  );
}
