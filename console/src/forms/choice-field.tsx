// A question with options: one of them, or several where it repeats. Many options that exclude each other are a list
// to open.
import { NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isSameAnswer } from '../../../fhir/forms/values.ts';
import type { Answer, FormItem } from './form.ts';

interface Option {
  readonly label: string;
  readonly answer: Answer;
  readonly exclusive?: true;
}

interface ChoiceFieldProps {
  readonly item: FormItem;
  readonly id: string;
  readonly label: string;
  readonly error: string | undefined;
  readonly isReadOnly: boolean;
  readonly options: readonly Option[];
  readonly answers: readonly Answer[];
  readonly onChange: (answers: readonly Answer[]) => void;
}

const MOST_BUTTONS = 8;

export function ChoiceField(props: ChoiceFieldProps) {
  const { t } = useTranslation();
  const { item, id, label, error, isReadOnly, options, answers, onChange } = props;
  const others = answers.filter((answer) => !options.some((option) => isSameAnswer(option.answer, answer)));
  const isChosen = (option: Option) => answers.some((answer) => isSameAnswer(answer, option.answer));
  if (!item.repeats && options.length > MOST_BUTTONS && (item.other_answers ?? 'none') === 'none') {
    return (
      <div className="field">
        <NativeSelect
          id={id}
          label={label}
          error={error}
          disabled={isReadOnly}
          value={String(options.findIndex(isChosen))}
          onChange={({ currentTarget }) => {
            const chosen = options[Number(currentTarget.value)];
            onChange(chosen === undefined ? [] : [chosen.answer]);
          }}
          data={[
            { value: '-1', label: t('form.choose') },
            ...options.map((option, index) => ({ value: String(index), label: option.label })),
          ]}
        />
      </div>
    );
  }
  const choose = (option: Option, isOn: boolean) => onChange(chosenWith(props, option, isOn));
  return (
    <fieldset className="field" aria-describedby={error === undefined ? undefined : `${id}-error`}>
      <legend>{label}</legend>
      {error !== undefined && (
        <p className="bad" id={`${id}-error`}>
          {error}
        </p>
      )}
      {options.map((option, index) => (
        <label key={option.label} className="choice">
          <input
            id={index === 0 ? id : undefined}
            type={item.repeats ? 'checkbox' : 'radio'}
            name={id}
            checked={isChosen(option)}
            disabled={isReadOnly}
            aria-invalid={error === undefined ? undefined : true}
            onChange={({ currentTarget }) => choose(option, currentTarget.checked)}
          />
          {option.label}
        </label>
      ))}
      {item.other_answers !== undefined && item.other_answers !== 'none' && (
        <TextInput
          mt="sm"
          label={t('form.other')}
          disabled={isReadOnly}
          value={String(others[0]?.['valueString'] ?? '')}
          onChange={({ currentTarget: { value } }) => {
            const kept = item.repeats ? answers.filter((answer) => !others.includes(answer)) : [];
            onChange(value === '' ? kept : [...kept, { valueString: value }]);
          }}
        />
      )}
    </fieldset>
  );
}

/** With or without an option. One that excludes the others stands alone. */
function chosenWith({ item, options, answers }: ChoiceFieldProps, option: Option, isOn: boolean): readonly Answer[] {
  if (!item.repeats) return [option.answer];
  const without = answers.filter((answer) => !isSameAnswer(answer, option.answer));
  if (!isOn) return without;
  if (option.exclusive === true) return [option.answer];
  const exclusive = options.filter((each) => each.exclusive === true);
  const kept = without.filter((answer) => !exclusive.some((each) => isSameAnswer(each.answer, answer)));
  return [...kept, option.answer];
}
