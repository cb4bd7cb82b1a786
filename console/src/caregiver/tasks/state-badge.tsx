// The state of a task, in a word; a new one stands out.
import { useTranslation } from 'react-i18next';
import type { Task } from '../queries.ts';

export function StateBadge({ task }: { readonly task: Pick<Task, 'status' | 'pending_decision'> }) {
  const { t } = useTranslation();
  const words = task.pending_decision === null ? t(`caregiver.state.${task.status}`) : t('caregiver.pending');
  return <span className={task.status === 'received' ? 'badge strong' : 'badge'}>{words}</span>;
}
