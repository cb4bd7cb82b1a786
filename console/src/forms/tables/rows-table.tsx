// A group that is filled in several times as a table (`gtable`): a row for each time, a column for each question. On a
// narrow screen each row is a card, and each question has its label.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { IsEnabled } from '../conditions.ts';
import { isBound } from '../displays.ts';
import { type Filled, occurrencesOf, pathOf, withAnswers, withOccurrences } from '../filled.ts';
import type { FormItem } from '../form.ts';
import type { FormIssues } from '../issues.ts';
import { fullLabel, Question } from '../question.tsx';
import { RemoveRow } from './remove-row.tsx';

export interface TableProps {
  readonly item: FormItem;
  readonly occurrences: readonly Filled[];
  readonly isEnabled: IsEnabled;
  readonly path: string;
  readonly issues: FormIssues;
  readonly isReadOnly: boolean;
  readonly onOccurrences: (next: readonly Filled[]) => void;
  readonly label: string;
  /** Help and what is wrong with the group. */
  readonly notes: ReactNode;
}

/** Questions with questions within have no place in a cell. */
export function isRowsTable({ control, repeats, items = [] }: FormItem): boolean {
  return control === 'gtable' && repeats && items.length > 0 && items.every(isPlainQuestion);
}

export function isPlainQuestion({ type, items = [] }: FormItem): boolean {
  return type !== 'group' && type !== 'display' && items.every(isBound);
}

export function RowsTable({ item, occurrences, label, notes, isReadOnly, onOccurrences, ...place }: TableProps) {
  const { t } = useTranslation();
  const columns = (item.items ?? []).filter(({ hidden }) => hidden !== true);
  const canRemove = !isReadOnly && occurrences.length > 1;
  return (
    <fieldset className="group">
      <legend>{label}</legend>
      {notes}
      <table className="form-rows">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.link_id} scope="col">
                {fullLabel(column)}
              </th>
            ))}
            {canRemove && (
              <td>
                <span className="visually-hidden">{t('form.removeRows')}</span>
              </td>
            )}
          </tr>
        </thead>
        <tbody>
          {occurrences.map((occurrence, index) => {
            const own = pathOf(place.path, item.link_id, index);
            const change = (next: Filled) => onOccurrences(occurrences.with(index, next));
            return (
              <tr key={own}>
                {columns.map((column) => (
                  <td key={column.link_id}>
                    <Cell
                      column={column}
                      row={occurrence}
                      {...place}
                      path={own}
                      isReadOnly={isReadOnly}
                      onChange={change}
                    />
                  </td>
                ))}
                {canRemove && (
                  <td>
                    <RemoveRow
                      label={t('form.remove', { label, number: index + 1 })}
                      onRemove={() => onOccurrences(occurrences.toSpliced(index, 1))}
                    />
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </fieldset>
  );
}

interface CellProps extends Pick<TableProps, 'isEnabled' | 'path' | 'issues' | 'isReadOnly'> {
  readonly column: FormItem;
  readonly row: Filled;
  readonly onChange: (next: Filled) => void;
}

function Cell({ column, row, isEnabled, path, issues, isReadOnly, onChange }: CellProps) {
  const isOn = isEnabled(path, column);
  if (!isOn && column.conditions?.when_disabled !== 'protected') return null;
  const [occurrence = { answers: [], items: {} }] = occurrencesOf(row, column);
  const own = pathOf(path, column.link_id, 0);
  return (
    <Question
      item={column}
      id={own}
      answers={occurrence.answers}
      issue={issues.get(own)}
      isReadOnly={isReadOnly || !isOn || column.read_only}
      onChange={(answers) => onChange(withOccurrences(row, column.link_id, [withAnswers(column, occurrence, answers)]))}
    />
  );
}
