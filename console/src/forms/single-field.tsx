// One answer that is typed: numbers with the comma or the point, days and times with the browser's own control, texts,
// a file.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { type ChangeEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useBandText } from '../i18n/band-text.ts';
import { expectedOf } from './expected.ts';
import type { Answer, FormItem } from './form.ts';
import { dateTimeAnswer, dateTimeText, fileAnswer, numberAnswer, numberTextOf, timeAnswer } from './typed.ts';

interface SingleFieldProps {
  readonly item: FormItem;
  readonly id: string;
  readonly label: string;
  readonly error: string | undefined;
  readonly isReadOnly: boolean;
  readonly answer: Answer | undefined;
  readonly onChange: (answer: Answer | undefined) => void;
}

type TextEvent = ChangeEvent<HTMLInputElement | HTMLTextAreaElement>;

export function SingleField(props: SingleFieldProps) {
  const { item, id, label, error, isReadOnly, answer, onChange } = props;
  const element = item.answer_element ?? 'valueString';
  const value = answer === undefined ? undefined : Object.values(answer)[0];
  const plain = typeof value === 'string' ? value : '';
  const changeTo = (make: (text: string) => Answer | undefined) => (event: TextEvent) => {
    const text = event.currentTarget.value;
    onChange(text === '' ? undefined : make(text));
  };
  const shared = { id, label, error, disabled: isReadOnly, placeholder: item.placeholder ?? '' };
  switch (item.type) {
    case 'decimal':
    case 'integer':
    case 'quantity':
      return <NumberField {...props} />;
    case 'date':
      return <TextInput {...shared} type="date" value={plain} onChange={changeTo((text) => ({ [element]: text }))} />;
    case 'dateTime':
      return (
        <TextInput {...shared} type="datetime-local" value={dateTimeText(plain)} onChange={changeTo(dateTimeAnswer)} />
      );
    case 'time':
      return <TextInput {...shared} type="time" value={plain.slice(0, 5)} onChange={changeTo(timeAnswer)} />;
    case 'text':
      return <Textarea {...shared} rows={4} value={plain} onChange={changeTo((text) => ({ [element]: text }))} />;
    case 'attachment':
      return <FileField {...props} />;
    case 'reference': {
      const display = typeof value === 'object' && value !== null && 'display' in value ? String(value.display) : '';
      return (
        <TextInput {...shared} value={display} onChange={changeTo((text) => ({ [element]: { display: text } }))} />
      );
    }
    default: {
      const type = item.type === 'url' ? 'url' : 'text';
      return <TextInput {...shared} type={type} value={plain} onChange={changeTo((text) => ({ [element]: text }))} />;
    }
  }
}

/** Keeps what is typed as it is, since a number in the making is none yet. */
function NumberField({ item, id, label, error, isReadOnly, answer, onChange }: SingleFieldProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(() => numberTextOf(answer));
  const units = item.units ?? [];
  const expected = expectedOf(item);
  const [unitIndex, setUnitIndex] = useState(0);
  const unit = item.type === 'quantity' ? units[unitIndex] : undefined;
  const bandText = useBandText(unit?.label ?? unit?.code ?? '');
  const change = (text: string, index: number) => {
    setTyped(text);
    setUnitIndex(index);
    onChange(text.trim() === '' ? undefined : numberAnswer(item, text, units[index]));
  };
  return (
    <>
      <TextInput
        id={id}
        label={unit?.label === undefined || units.length > 1 ? label : `${label} (${unit.label})`}
        description={expected && t('form.expected', { band: bandText(expected) })}
        error={error}
        disabled={isReadOnly}
        inputMode="decimal"
        autoComplete="off"
        value={typed}
        onChange={({ currentTarget }) => change(currentTarget.value, unitIndex)}
      />
      {units.length > 1 && (
        <NativeSelect
          mt="xs"
          label={t('form.unit')}
          disabled={isReadOnly}
          value={String(unitIndex)}
          onChange={({ currentTarget }) => change(typed, Number(currentTarget.value))}
          data={units.map((each, index) => ({ value: String(index), label: each.label ?? each.code ?? '' }))}
        />
      )}
    </>
  );
}

function FileField({ item, id, label, error, isReadOnly, answer, onChange }: SingleFieldProps) {
  const { t } = useTranslation();
  const [isTooLarge, setTooLarge] = useState(false);
  const value = answer?.['valueAttachment'];
  const title = typeof value === 'object' && value !== null && 'title' in value ? String(value.title) : undefined;
  const choose = async (file: File | undefined) => {
    const read = file === undefined ? undefined : await fileAnswer(file, item.limits?.max_bytes);
    setTooLarge(file !== undefined && read === undefined);
    onChange(read);
  };
  const issue = isTooLarge ? t('form.fileTooLarge') : error;
  return (
    <>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {issue !== undefined && <p className="bad">{issue}</p>}
      <input
        id={id}
        type="file"
        disabled={isReadOnly}
        accept={item.limits?.media_types?.join(',')}
        onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
      />
      {title !== undefined && <p className="quiet">{title}</p>}
    </>
  );
}
