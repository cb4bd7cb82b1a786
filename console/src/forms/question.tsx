// One question. It has the control of its kind, or the one that its author wished for where that fits. Its label, its
// help and what is wrong are beside it.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../i18n/i18n.ts';
import { displaysOf, unitOf, withUnit } from './displays.ts';
import { type ChoiceControl, ChoiceField } from './fields/choice-field.tsx';
import { CodeSearch } from './fields/code-search.tsx';
import { SingleField } from './fields/single-field.tsx';
import { SliderField, scaleOf } from './fields/slider-field.tsx';
import { type Answer, type FormItem, labelOf } from './form.ts';
import { useIssueText } from './issue-text.ts';
import type { FormIssue } from './issues.ts';
import { Links } from './links.tsx';
import { fieldId } from './paths.ts';

export interface QuestionProps {
  readonly item: FormItem;
  /** Unique on the page. */
  readonly id: string;
  readonly answers: readonly Answer[];
  readonly issue: FormIssue | undefined;
  readonly isReadOnly: boolean;
  /** What is said beside the help of the form's author. */
  readonly note?: string | undefined;
  readonly onChange: (answers: readonly Answer[]) => void;
}

/** More options than these are found by typing. */
const MOST_SHOWN = 40;
/** More options than these that exclude each other are a list to open. */
const MOST_BUTTONS = 8;

/** Buttons whatever their number: an orientation, too, is one of buttons. */
const BUTTONS: ReadonlySet<string> = new Set(['radio-button', 'atable']);

/** As FHIR's answer to yes or no. */
const YES_NO = [{ valueBoolean: true }, { valueBoolean: false }] as const;

export function Question(props: QuestionProps) {
  return (
    <>
      <Control {...props} />
      <Links links={props.item.links} />
    </>
  );
}

function Control({ item, id, answers, issue, isReadOnly, note, onChange }: QuestionProps) {
  const { t } = useTranslation();
  const issueText = useIssueText();
  const language = currentLanguage();
  const { help: own, unit = unitOf(item), lower, upper } = displaysOf(item, language);
  const help = [own, note].filter((text) => text !== undefined).join(' ') || undefined;
  const label = useLabel(item, unit);
  const error = issue === undefined ? undefined : issueText(issue);
  const htmlId = fieldId(id);
  const shared = { label, help, error, isReadOnly, id: htmlId };
  const hasOthers = (item.other_answers ?? 'none') !== 'none';
  if (item.type === 'boolean' && item.options === undefined) {
    const options = YES_NO.map((answer) => ({ label: t(answer.valueBoolean ? 'form.yes' : 'form.no'), answer }));
    const ticked = item.control === 'check-box' && !item.repeats;
    return (
      <ChoiceField
        {...shared}
        item={item}
        control={ticked ? 'tick' : item.repeats ? 'boxes' : 'buttons'}
        options={options}
        answers={answers}
        onChange={onChange}
      />
    );
  }
  const options = (item.options ?? []).map((option) => ({ ...option, label: labelOf(option, language) }));
  const isSearched = ['autocomplete', 'lookup'].includes(item.control ?? '') || options.length > MOST_SHOWN;
  if (item.options_source !== undefined || (options.length > 0 && isSearched && !hasOthers)) {
    return <CodeSearch {...shared} item={item} options={options} answers={answers} onChange={onChange} />;
  }
  if (options.length > 0) {
    const control = controlOf(item, options.length);
    return (
      <ChoiceField {...shared} item={item} control={control} options={options} answers={answers} onChange={onChange} />
    );
  }
  const scale = scaleOf(item);
  if (scale !== undefined) {
    const ends = { ...scale, lower, upper };
    return <SliderField {...shared} item={item} scale={ends} answer={answers[0]} onChange={onChange} />;
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
          help={index === 0 ? help : undefined}
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

/** A wish that does not fit is not followed: a list to open has one answer, and none that is typed. */
function controlOf(
  { control = '', orientation, repeats, other_answers: others = 'none' }: FormItem,
  count: number,
): ChoiceControl {
  if (repeats || control === 'check-box') return 'boxes';
  if (others !== 'none' || orientation !== undefined || BUTTONS.has(control)) return 'buttons';
  return control === 'drop-down' || count > MOST_BUTTONS ? 'list' : 'buttons';
}

/** The label with its number and unit, and a word where no answer is needed. */
function useLabel(item: FormItem, unit: string | undefined): string {
  const { t } = useTranslation();
  const label = withUnit(fullLabel(item), unit);
  return item.required || item.read_only || item.asked === true ? label : t('form.optional', { label });
}

/** The label in the reader's language, after its number or letter. */
export function fullLabel(item: FormItem): string {
  const prefix = item.prefix === undefined ? '' : `${item.prefix} `;
  return prefix + labelOf(item, currentLanguage());
}

function replaced(answers: readonly Answer[], index: number, next: Answer | undefined): readonly Answer[] {
  if (next === undefined) return answers.toSpliced(index, 1);
  return index < answers.length ? answers.with(index, next) : [...answers, next];
}

function emptyAnswer({ answer_element: element = 'valueString' }: FormItem): Answer {
  return { [element]: '' };
}
