// A question with options. It is one of them, or several where it repeats, as buttons, boxes or a list to open. There
// may be an answer of its own beside them, where the form permits it.
import { NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isSameAnswer } from '../../../../fhir/forms/values.ts';
import { unitOf, withUnit } from '../displays.ts';
import type { Answer, FormItem } from '../form.ts';
import type { FieldProps } from './field-props.ts';
import { Notes, notesOf } from './notes.tsx';
import { SingleField } from './single-field.tsx';

interface Option {
  readonly label: string;
  readonly answer: Answer;
  readonly exclusive?: true;
}

/** Buttons and boxes; one box, which is the first option; a list to open. */
export type ChoiceControl = 'buttons' | 'boxes' | 'tick' | 'list';

interface ChoiceFieldProps extends FieldProps {
  readonly control: ChoiceControl;
  readonly options: readonly Option[];
  readonly answers: readonly Answer[];
  readonly onChange: (answers: readonly Answer[]) => void;
}

export function ChoiceField(props: ChoiceFieldProps) {
  switch (props.control) {
    case 'list':
      return <OpenedList {...props} />;
    case 'tick':
      return <Tick {...props} />;
    default:
      return <Choices {...props} />;
  }
}

function OpenedList({ id, label, help, error, isReadOnly, options, answers, onChange }: ChoiceFieldProps) {
  const { t } = useTranslation();
  return (
    <div className="field">
      <NativeSelect
        id={id}
        label={label}
        description={help}
        error={error}
        disabled={isReadOnly}
        value={String(options.findIndex((option) => isChosen(option, answers)))}
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

/** Without the tick there is no answer, so that a box that has to be ticked can be required. */
function Tick({ id, label, help, error, isReadOnly, options, answers, onChange }: ChoiceFieldProps) {
  const [yes] = options;
  if (yes === undefined) return null;
  const notes = notesOf({ id, help, error });
  return (
    <div className="field">
      <label className="choice">
        <input
          id={id}
          type="checkbox"
          checked={isChosen(yes, answers)}
          disabled={isReadOnly}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={notes}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? [yes.answer] : [])}
        />
        {label}
      </label>
      <Notes id={id} help={help} error={error} />
    </div>
  );
}

/** As its author wished: beside each other, or as the one row of a table of answers. */
function isInRow({ orientation, control }: FormItem): boolean {
  return orientation === 'horizontal' || control === 'atable';
}

function Choices(props: ChoiceFieldProps) {
  const { item, control, id, label, help, error, isReadOnly, options, answers, onChange } = props;
  return (
    <fieldset className="field" aria-describedby={notesOf({ id, help, error })}>
      <legend>{label}</legend>
      <Notes id={id} help={help} error={error} />
      <div className={isInRow(item) ? 'choices-in-row' : undefined}>
        {options.map((option, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two options may have the same words
          <label key={index} className="choice">
            <input
              id={index === 0 ? id : undefined}
              type={control === 'boxes' ? 'checkbox' : 'radio'}
              name={id}
              checked={isChosen(option, answers)}
              disabled={isReadOnly}
              aria-invalid={error === undefined ? undefined : true}
              onChange={({ currentTarget }) => onChange(chosenWith(props, option, currentTarget.checked))}
            />
            {option.label}
          </label>
        ))}
      </div>
      {item.other_answers !== undefined && item.other_answers !== 'none' && <OtherAnswer {...props} />}
    </fieldset>
  );
}

/** A text, or a value of the question's own type. */
function OtherAnswer({ item, id, isReadOnly, options, answers, onChange }: ChoiceFieldProps) {
  const { t } = useTranslation();
  const others = answers.filter((answer) => !options.some((option) => isSameAnswer(option.answer, answer)));
  const set = (next: Answer | undefined) => {
    const kept = item.repeats ? answers.filter((answer) => !others.includes(answer)) : [];
    onChange(next === undefined ? kept : [...kept, next]);
  };
  if (item.other_answers === 'any' && item.type !== 'string' && item.type !== 'text') {
    const own = { ...item, repeats: false };
    return (
      <SingleField
        item={own}
        id={`${id}-other`}
        label={withUnit(t('form.other'), unitOf(own))}
        error={undefined}
        isReadOnly={isReadOnly}
        answer={others[0]}
        onChange={set}
      />
    );
  }
  return (
    <TextInput
      mt="sm"
      label={t('form.other')}
      disabled={isReadOnly}
      value={String(others[0]?.['valueString'] ?? '')}
      onChange={({ currentTarget: { value } }) => set(value === '' ? undefined : { valueString: value })}
    />
  );
}

function isChosen(option: Option, answers: readonly Answer[]): boolean {
  return answers.some((answer) => isSameAnswer(answer, option.answer));
}

/** With or without an option. One that excludes the others stands alone. */
function chosenWith({ item, options, answers }: ChoiceFieldProps, option: Option, isOn: boolean): readonly Answer[] {
  const without = answers.filter((answer) => !isSameAnswer(answer, option.answer));
  if (!item.repeats) return isOn ? [option.answer] : without;
  if (!isOn) return without;
  if (option.exclusive === true) return [option.answer];
  const exclusive = options.filter((each) => each.exclusive === true);
  const kept = without.filter((answer) => !exclusive.some((each) => isSameAnswer(each.answer, answer)));
  return [...kept, option.answer];
}
