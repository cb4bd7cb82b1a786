// What the import has made, and a file that says so of each row.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { saveTable } from '../../api/download.ts';
import type { UserRow } from './mapping.ts';
import type { RowOutcome } from './outcome.ts';
import { PreviewGrid, useReasonText } from './preview-grid.tsx';

interface ResultProps {
  readonly rows: readonly UserRow[];
  readonly outcomes: readonly RowOutcome[];
  readonly onAgain: () => void;
}

export function Result({ rows, outcomes, onAgain }: ResultProps) {
  const { t } = useTranslation();
  const reasonText = useReasonText();
  const save = () => {
    const heading = ['line', 'email', 'outcome', 'reason'] as const;
    const lines = outcomes.map(({ outcome, messages }, index) => {
      const reason = messages.map(reasonText).join(' ');
      return [String(index + 2), rows[index]?.email ?? '', t(`admin.import.is.${outcome}`), reason];
    });
    saveTable([heading.map((name) => t(`admin.import.resultColumn.${name}`)), ...lines], 'result.csv');
  };
  const made = outcomes.filter(({ outcome }) => outcome === 'create').length;
  return (
    <section aria-labelledby="result">
      <h2 id="result">{t('admin.import.step.result')}</h2>
      <div className="note" role="status">
        <p>{t('admin.import.made', { count: made })}</p>
        {made > 0 && <p>{t('admin.import.password')}</p>}
      </div>
      <p className="actions">
        <Button onClick={save}>{t('admin.import.save')}</Button>
        <Button variant="default" onClick={onAgain}>
          {t('admin.import.again')}
        </Button>
      </p>
      <PreviewGrid rows={rows} outcomes={outcomes} isDone />
    </section>
  );
}
