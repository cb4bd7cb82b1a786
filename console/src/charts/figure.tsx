// A picture with all that belongs to it: what it shows in one sentence, the same as a table, and as a file.
import './charts.css';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { saveTable } from '../api/download.ts';
import { numberText } from '../i18n/format.ts';
import { ScrollTable } from '../shared/scroll-table.tsx';
import type { Table } from './table.ts';

interface FigureProps {
  readonly title: string;
  /** What the picture says, also to who does not see it. */
  readonly sentence: string;
  readonly table: Table;
  /** Of the file, without an extension. */
  readonly fileName: string;
  /** Whether it belongs to an entry of a list, which has a heading itself. */
  readonly isWithin?: boolean;
  /** The picture; none where there is nothing to draw. */
  readonly children?: ReactNode;
}

export function Figure({ title, sentence, table, fileName, isWithin = false, children }: FigureProps) {
  const { t } = useTranslation();
  const Heading = isWithin ? 'h4' : 'h2';
  return (
    <div className="card figure">
      <Heading>{title}</Heading>
      <p>{sentence}</p>
      {children}
      {table.rows.length > 0 && (
        <details>
          <summary>{t('charts.table')}</summary>
          <ScrollTable label={`${title}, ${fileName}`} head={table.head}>
            {table.rows.map((cells) => (
              <tr key={cells.join('|')}>
                {cells.map((cell, index) => (
                  <td key={table.head[index]}>{typeof cell === 'number' ? numberText(cell) : cell}</td>
                ))}
              </tr>
            ))}
          </ScrollTable>
          <button
            type="button"
            className="plain-button"
            onClick={() => saveTable([table.head, ...table.rows], `${fileName}.csv`)}
          >
            {t('charts.save')}
          </button>
        </details>
      )}
    </div>
  );
}
