// One answer that is typed: numbers with the comma or the point, days and times with the browser's own control, texts,
// a file.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { type ChangeEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useBandText } from '../../i18n/band-text.ts';
import { expectedOf } from '../expected.ts';
import type { Answer } from '../form.ts';
import { dateTimeAnswer, dateTimeText, fileAnswer, numberAnswer, numberTextOf, timeAnswer } from '../typed.ts';
import type { FieldProps } from './field-props.ts';

interface SingleFieldProps extends FieldProps {
  readonly answer: Answer | undefined;
  readonly onChange: (answer: Answer | undefined) => void;
}

type TextEvent = ChangeEvent<HTMLInputElement | HTMLTextAreaElement>;

export function SingleField(props: SingleFieldProps) {
  const { item, id, label, help, error, isReadOnly, answer, onChange } = props;
  const element = item.answer_element ?? 'valueString';
  const value = answer === undefined ? undefined : Object.values(answer)[0];
  const plain = typeof value === 'string' ? value : '';
  const changeTo = (make: (text: string) => Answer | undefined) => (event: TextEvent) => {
    const text = event.currentTarget.value;
    onChange(text === '' ? undefined : make(text));
  };
  const shared = { id, label, description: help, error, disabled: isReadOnly, placeholder: item.placeholder ?? '' };
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
    case 'reference':
      return <ReferenceField {...props} />;
    case 'coding':
      return (
        <TextInput
          {...shared}
          value={textIn(value, 'display') || textIn(value, 'code')}
          onChange={changeTo((display) => ({ [element]: { display } }))}
        />
      );
    default: {
      const type = item.type === 'url' ? 'url' : 'text';
      return <TextInput {...shared} type={type} value={plain} onChange={changeTo((text) => ({ [element]: text }))} />;
    }
  }
}

function textIn(value: unknown, name: string): string {
  const found =
    typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name) : undefined;
  return typeof found?.[1] === 'string' ? found[1] : '';
}

/** Somebody or something by name, and what kind it is where the form permits several. */
function ReferenceField({ item, id, label, help, error, isReadOnly, answer, onChange }: SingleFieldProps) {
  const { t } = useTranslation();
  const value = answer?.['valueReference'];
  const types = item.limits?.resource_types ?? [];
  const [chosen, choose] = useState(() => textIn(value, 'type') || (types[0] ?? ''));
  const change = (display: string, type: string) => {
    choose(type);
    const { display: _, ...rest } =
      typeof value === 'object' && value !== null ? { display: '', ...value } : { display };
    const kind = type === '' ? {} : { type };
    onChange(display === '' ? undefined : { valueReference: { ...rest, ...kind, display } });
  };
  return (
    <>
      <TextInput
        id={id}
        label={label}
        description={help}
        error={error}
        disabled={isReadOnly}
        placeholder={item.placeholder ?? ''}
        value={textIn(value, 'display')}
        onChange={({ currentTarget }) => change(currentTarget.value, chosen)}
      />
      {types.length > 1 && (
        <NativeSelect
          mt="xs"
          label={t('form.referenceKind')}
          disabled={isReadOnly}
          value={chosen}
          onChange={({ currentTarget }) => change(textIn(value, 'display'), currentTarget.value)}
          data={types.map((type) => ({ value: type, label: isKnown(type) ? t(`form.reference.${type}`) : type }))}
        />
      )}
    </>
  );
}

const KNOWN = ['Patient', 'RelatedPerson', 'Practitioner', 'Organization', 'Location', 'Device'] as const;

function isKnown(type: string): type is (typeof KNOWN)[number] {
  return KNOWN.some((each) => each === type);
}

/** Keeps what is typed as it is, since a number in the making is none yet; a number that was calculated is shown. */
function NumberField({ item, id, label, help, error, isReadOnly, answer, onChange }: SingleFieldProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(() => numberTextOf(answer));
  const units = item.units ?? [];
  const expected = expectedOf(item);
  const [chosen, choose] = useState(0);
  const given = answer?.['valueQuantity'];
  const givenIndex = units.findIndex(({ code }) => code !== undefined && code === textIn(given, 'code'));
  const unitIndex = givenIndex === -1 ? chosen : givenIndex;
  const unit = item.type === 'quantity' ? units[unitIndex] : undefined;
  const bandText = useBandText(unit?.label ?? unit?.code ?? '');
  const change = (text: string, index: number) => {
    setTyped(text);
    choose(index);
    onChange(text.trim() === '' ? undefined : numberAnswer(item, text, units[index]));
  };
  const isOwn =
    answer === undefined ? typed.trim() === '' : numberTextOf(answer) === numberTextOf(numberAnswer(item, typed, unit));
  const notes = [
    ...(help === undefined ? [] : [help]),
    ...(expected ? [t('form.expected', { band: bandText(expected) })] : []),
  ];
  return (
    <>
      <TextInput
        id={id}
        label={label}
        description={notes.length === 0 ? undefined : notes.join(' ')}
        error={error}
        disabled={isReadOnly}
        placeholder={item.placeholder ?? ''}
        inputMode="decimal"
        autoComplete="off"
        value={isOwn ? typed : numberTextOf(answer)}
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

function FileField({ item, id, label, help, error, isReadOnly, answer, onChange }: SingleFieldProps) {
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
      {help !== undefined && <p className="quiet small">{help}</p>}
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
