// Each row of the file with what will happen, or has happened, and why not.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LongList } from '../../shared/long-list.tsx';
import type { UserRow } from './mapping.ts';
import { type Outcome, type RowOutcome, reasonOf } from './outcome.ts';

interface PreviewGridProps {
  readonly rows: readonly UserRow[];
  readonly outcomes: readonly RowOutcome[];
  /** Whether it has happened. */
  readonly isDone?: boolean;
}

const OUTCOMES = ['create', 'skip', 'faulty'] as const;
/** Of a row without messages. */
const ENTRY_PX = 74;

export function PreviewGrid({ rows, outcomes, isDone = false }: PreviewGridProps) {
  const { t } = useTranslation();
  const reasonText = useReasonText();
  const [shown, setShown] = useState<Outcome>();
  const numbered = rows.map((row, index) => ({ row, line: index + 2, ...(outcomes[index] ?? NOTHING) }));
  const found = numbered.filter(({ outcome }) => shown === undefined || outcome === shown);
  const count = (outcome: Outcome) => outcomes.filter((each) => each.outcome === outcome).length;
  return (
    <>
      <ul className="tiles">
        {OUTCOMES.map((outcome) => (
          <li key={outcome}>
            <button
              type="button"
              className="tile"
              aria-pressed={shown === outcome}
              onClick={() => setShown(shown === outcome ? undefined : outcome)}
            >
              <span className="tile-number">{count(outcome)}</span>
              {isDone ? t(`admin.import.done.${outcome}`) : t(`admin.import.will.${outcome}`)}
            </button>
          </li>
        ))}
      </ul>
      <LongList
        key={shown}
        label={t('admin.import.rows')}
        items={found}
        entryHeight={ENTRY_PX}
        keyOf={({ line }) => line}
      >
        {({ row, line, outcome, messages }) => (
          <>
            <div className="row">
              <span>
                <span className="quiet">{t('admin.import.line', { line })}</span> {row.first_name} {row.last_name}{' '}
                <span className="quiet">{row.email}</span>
              </span>
              <span className={outcome === 'faulty' ? 'badge strong' : 'badge'}>
                {isDone ? t(`admin.import.is.${outcome}`) : t(`admin.import.becomes.${outcome}`)}
              </span>
            </div>
            {messages.map((message) => (
              <p key={message} className={outcome === 'faulty' ? 'bad' : 'quiet'}>
                {reasonText(message)}
              </p>
            ))}
          </>
        )}
      </LongList>
    </>
  );
}

const NOTHING: RowOutcome = { outcome: 'faulty', messages: [] };

/** What is wrong in words; what is not known, in the service's own. */
export function useReasonText(): (message: string) => string {
  const { t } = useTranslation();
  return (message) => {
    const reason = reasonOf(message);
    if (reason === undefined) return message;
    if (reason.kind === 'column')
      return t('admin.import.why.column', { column: t(`admin.import.column.${reason.column}`) });
    if (reason.kind === 'again') return t('admin.import.why.again', { line: reason.line });
    return reason.kind === 'taken'
      ? t('admin.import.why.taken')
      : t(`admin.import.why.${reason.kind}`, { name: reason.name });
  };
}
