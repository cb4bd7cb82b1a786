// Moves an entry of an ordered list one place up or down. A button that can do nothing now stays focusable: whoever
// moves an entry by the keyboard has just pressed it.
import { useTranslation } from 'react-i18next';

interface OrderButtonsProps {
  readonly title: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (by: -1 | 1) => void;
}

export function OrderButtons({ title, isFirst, isLast, onMove }: OrderButtonsProps) {
  const { t } = useTranslation();
  return (
    <>
      <button
        type="button"
        className="plain-button"
        aria-disabled={isFirst}
        aria-label={t('planner.forms.upOf', { title })}
        onClick={() => !isFirst && onMove(-1)}
      >
        ↑
      </button>
      <button
        type="button"
        className="plain-button"
        aria-disabled={isLast}
        aria-label={t('planner.forms.downOf', { title })}
        onClick={() => !isLast && onMove(1)}
      >
        ↓
      </button>
    </>
  );
}

/** The list with the entry at the index so many places on. */
export function moved<Entry>(entries: readonly Entry[], index: number, by: number): Entry[] {
  const next = [...entries];
  next.splice(index + by, 0, ...next.splice(index, 1));
  return next;
}
