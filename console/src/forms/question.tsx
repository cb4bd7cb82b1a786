// One question: the control of its kind, with its label, its hint and what is wrong.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../i18n/i18n.ts';
import { ChoiceField } from './choice-field.tsx';
import { CodeSearch } from './code-search.tsx';
import { type Answer, type FormItem, labelOf } from './form.ts';
import { useIssueText } from './issue-text.ts';
import type { FormIssue } from './issues.ts';
import { SingleField } from './single-field.tsx';

export interface QuestionProps {
  readonly item: FormItem;
  /** Unique on the page. */
  readonly id: string;
  readonly answers: readonly Answer[];
  readonly issue: FormIssue | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (answers: readonly Answer[]) => void;
}

/** The id of the first control of the question at a path. */
export function fieldId(path: string): string {
  return `field${path.replaceAll(/[^\w-]/g, '_')}`;
}

/** More options than these are found by typing. */
const MOST_SHOWN = 40;

/** As FHIR's answer to yes or no. */
const YES_NO = [{ valueBoolean: true }, { valueBoolean: false }] as const;

export function Question({ item, id, answers, issue, isReadOnly, onChange }: QuestionProps) {
  const { t } = useTranslation();
  const issueText = useIssueText();
  const label = useLabel(item);
  const error = issue === undefined ? undefined : issueText(issue);
  const htmlId = fieldId(id);
  const shared = { label, error, isReadOnly, id: htmlId };
  if (item.type === 'boolean' && item.options === undefined) {
    const options = YES_NO.map((answer) => ({ label: t(answer.valueBoolean ? 'form.yes' : 'form.no'), answer }));
    return <ChoiceField {...shared} item={item} options={options} answers={answers} onChange={onChange} />;
  }
  const options = (item.options ?? []).map((option) => ({ ...option, label: labelOf(option, currentLanguage()) }));
  if (item.options_source !== undefined || (options.length > MOST_SHOWN && (item.other_answers ?? 'none') === 'none')) {
    return <CodeSearch {...shared} item={item} options={options} answers={answers} onChange={onChange} />;
  }
  if (options.length > 0) {
    return <ChoiceField {...shared} item={item} options={options} answers={answers} onChange={onChange} />;
  }
  const shown: readonly (Answer | undefined)[] = answers.length === 0 ? [undefined] : answers;
  const isFull = shown.length >= (item.limits?.max_answers ?? Number.POSITIVE_INFINITY);
  return (
    <div className="field">
      {shown.map((answer, index) => (
        <SingleField
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer has no other name than its place
          key={`${htmlId}-${index}`}
          item={item}
          id={index === 0 ? htmlId : `${htmlId}-${index}`}
          label={index === 0 ? label : t('form.occurrence', { label, number: index + 1 })}
          error={index === 0 ? error : undefined}
          isReadOnly={isReadOnly}
          answer={answer}
          onChange={(next) => onChange(replaced(answers, index, next))}
        />
      ))}
      {item.repeats && !isReadOnly && !isFull && answers.length > 0 && (
        <p className="actions">
          <Button variant="default" onClick={() => onChange([...answers, emptyAnswer(item)])}>
            {t('form.add', { label })}
          </Button>
        </p>
      )}
    </div>
  );
}

/** The label with its number, and a word where no answer is needed. */
function useLabel(item: FormItem): string {
  const { t } = useTranslation();
  const prefix = item.prefix === undefined ? '' : `${item.prefix} `;
  const label = prefix + labelOf(item, currentLanguage());
  return item.required || item.read_only ? label : t('form.optional', { label });
}

function replaced(answers: readonly Answer[], index: number, next: Answer | undefined): readonly Answer[] {
  if (next === undefined) return answers.toSpliced(index, 1);
  return index < answers.length ? answers.with(index, next) : [...answers, next];
}

function emptyAnswer({ answer_element: element = 'valueString' }: FormItem): Answer {
  return { [element]: '' };
}
