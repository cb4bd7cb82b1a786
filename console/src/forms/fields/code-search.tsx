// A question whose answers are too many to be shown at once. What is typed finds them, among those of the form or in a
// code list that the form names.
import type { Coding } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { isSameAnswer } from '../../../../fhir/forms/values.ts';
import { type Choice, TypeAhead } from '../../shared/type-ahead.tsx';
import type { Answer } from '../form.ts';
import { codesOf } from '../value-set-codes.ts';
import type { FieldProps } from './field-props.ts';

interface CodeSearchProps extends FieldProps {
  /** Those of the form, worded for the reader. */
  readonly options: readonly { readonly label: string; readonly answer: Answer }[];
  readonly answers: readonly Answer[];
  readonly onChange: (answers: readonly Answer[]) => void;
}

/** Of what is found. */
const MOST = 20;

export function CodeSearch(props: CodeSearchProps) {
  const { item, id, label, help, error, isReadOnly, options, answers, onChange } = props;
  const { t } = useTranslation();
  const { options_source: source } = item;
  const wordsOf = (answer: Answer) => {
    const known = options.find((option) => isSameAnswer(option.answer, answer));
    return known?.label ?? codingWords(answer['valueCoding']);
  };
  const find = async (text: string, signal: AbortSignal): Promise<Choice<Answer>[]> => {
    if (source !== undefined) return (await codesOf(source, text, { signal, most: MOST })).map(choiceOf);
    const sought = text.toLowerCase();
    return options
      .filter((option) => option.label.toLowerCase().includes(sought))
      .slice(0, MOST)
      .map((option) => ({ key: JSON.stringify(option.answer), label: option.label, value: option.answer }));
  };
  const choose = (answer: Answer | undefined) => {
    if (!item.repeats) onChange(answer === undefined ? [] : [answer]);
    else if (answer !== undefined && !answers.some((each) => isSameAnswer(each, answer)))
      onChange([...answers, answer]);
  };
  return (
    <div className="field">
      <TypeAhead
        id={id}
        label={label}
        description={help === undefined ? t('form.typeToFind') : `${help} ${t('form.typeToFind')}`}
        error={error}
        disabled={isReadOnly}
        chosen={item.repeats || answers[0] === undefined ? '' : wordsOf(answers[0])}
        none={t('form.noneFound')}
        queryKey={['form-codes', source ?? item.link_id]}
        find={find}
        onChoose={choose}
      />
      {item.repeats && answers.length > 0 && (
        <ul>
          {answers.map((answer, index) => (
            <li key={JSON.stringify(answer)}>
              {wordsOf(answer)}
              {!isReadOnly && (
                <button
                  type="button"
                  className="plain-button"
                  aria-label={t('form.removeAnswer', { answer: wordsOf(answer) })}
                  onClick={() => onChange(answers.toSpliced(index, 1))}
                >
                  ✕
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function choiceOf(coding: Coding): Choice<Answer> {
  return {
    key: `${coding.system ?? ''}|${coding.code}`,
    label: coding.display ?? coding.code ?? '',
    detail: coding.code,
    value: { valueCoding: coding },
  };
}

function codingWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const { display, code } = value as Coding;
  return display ?? code ?? '';
}
