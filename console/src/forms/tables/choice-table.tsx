// A group of questions with the same answers as a table (`table`, `htable`): a row for each question, a column for each
// answer. On a narrow screen each question is above its answers.
import { isSameAnswer } from '../../../../fhir/forms/values.ts';
import { currentLanguage } from '../../i18n/i18n.ts';
import { displaysOf } from '../displays.ts';
import { type Filled, occurrencesOf, pathOf, withOccurrences } from '../filled.ts';
import { type FormItem, labelOf } from '../form.ts';
import { useIssueText } from '../issue-text.ts';
import { fieldId } from '../paths.ts';
import { fullLabel } from '../question.tsx';
import { isPlainQuestion, type TableProps } from './rows-table.tsx';

/** More columns than these are no table any more. */
const MOST_COLUMNS = 8;
const CONTROLS: ReadonlySet<string> = new Set(['table', 'htable']);

/** Only questions with one answer each, among the same ones. */
export function isChoiceTable({ control = '', repeats, items = [] }: FormItem): boolean {
  const [first] = items;
  if (!CONTROLS.has(control) || repeats || first?.options === undefined) return false;
  const columns = JSON.stringify(first.options.map(({ label, answer }) => [label, answer]));
  return (
    first.options.length <= MOST_COLUMNS &&
    items.every(
      (item) =>
        isPlainQuestion(item) &&
        !item.repeats &&
        (item.other_answers ?? 'none') === 'none' &&
        JSON.stringify((item.options ?? []).map(({ label, answer }) => [label, answer])) === columns,
    )
  );
}

export function ChoiceTable({ item, occurrences, label, notes, ...place }: TableProps) {
  const { isEnabled, path, isReadOnly, onOccurrences } = place;
  const [occurrence = { answers: [], items: {} }] = occurrences;
  const own = pathOf(path, item.link_id, 0);
  const language = currentLanguage();
  const options = (item.items?.[0]?.options ?? []).map((option) => labelOf(option, language));
  const rows = (item.items ?? []).filter((row) => row.hidden !== true && isEnabled(own, row));
  return (
    <fieldset className="group">
      <legend>{label}</legend>
      {notes}
      <table className="form-choices">
        <thead>
          <tr>
            <td />
            {options.map((option) => (
              <th key={option} scope="col">
                {option}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row
              key={row.link_id}
              row={row}
              path={pathOf(own, row.link_id, 0)}
              filled={occurrencesOf(occurrence, row)[0]}
              issues={place.issues}
              isReadOnly={isReadOnly || row.read_only}
              onChange={(next) => onOccurrences([withOccurrences(occurrence, row.link_id, [next])])}
            />
          ))}
        </tbody>
      </table>
    </fieldset>
  );
}

interface RowProps extends Pick<TableProps, 'path' | 'issues' | 'isReadOnly'> {
  readonly row: FormItem;
  readonly filled: Filled | undefined;
  readonly onChange: (next: Filled) => void;
}

function Row({ row, path, filled = { answers: [], items: {} }, issues, isReadOnly, onChange }: RowProps) {
  const issueText = useIssueText();
  const id = fieldId(path);
  const issue = issues.get(path);
  const { help } = displaysOf(row, currentLanguage());
  return (
    <tr>
      <th scope="row" id={`${id}-label`}>
        {fullLabel(row)}
        {help !== undefined && <span className="quiet small"> {help}</span>}
        {issue !== undefined && <span className="bad"> {issueText(issue)}</span>}
      </th>
      {(row.options ?? []).map((option, index) => {
        const words = labelOf(option, currentLanguage());
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two answers may have the same words
          <td key={index}>
            <label>
              <input
                id={index === 0 ? id : undefined}
                type="radio"
                name={id}
                aria-label={`${fullLabel(row)}: ${words}`}
                aria-invalid={issue === undefined ? undefined : true}
                disabled={isReadOnly}
                checked={filled.answers.some((answer) => isSameAnswer(answer, option.answer))}
                onChange={() => onChange({ ...filled, answers: [option.answer] })}
              />
              <span aria-hidden="true">{words}</span>
            </label>
          </td>
        );
      })}
    </tr>
  );
}
