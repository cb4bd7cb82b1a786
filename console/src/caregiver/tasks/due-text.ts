// When a task is due, in words.
import { useTranslation } from 'react-i18next';
import { dayText } from '../../i18n/format.ts';
import type { Task } from '../queries.ts';

interface DueText {
  readonly text: string;
  readonly isLate: boolean;
}

/** Undefined for what has no time. What is over is never late. */
export function useDueText(): (task: Pick<Task, 'due' | 'status'>) => DueText | undefined {
  const { t } = useTranslation();
  return ({ due, status }) => {
    if (due === null) return undefined;
    const isOpen = status === 'received' || status === 'accepted' || status === 'in_progress';
    const isLate = isOpen && Date.parse(due) < Date.now();
    return { text: t(isLate ? 'caregiver.overdue' : 'caregiver.due', { day: dayText(due) }), isLate };
  };
}
