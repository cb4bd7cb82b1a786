// The answer with which a question begins: values of its type, the day on which it is answered, or an expression.
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { Coding, QuestionnaireItemInitial } from 'fhir/r5';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateTimeText } from '../../../forms/typed.ts';
import { codesOf } from '../../../forms/value-set-codes.ts';
import { TypeAhead } from '../../../shared/type-ahead.tsx';
import { useBuilder, useIssue } from '../builder-context.ts';
import { expressionOf, isForeign, withExpression } from '../model/expressions.ts';
import { initialFrom, initialInputOf, initialOfCoding, initialText, withInitials } from '../model/initial.ts';
import { numberFrom } from '../model/limits.ts';
import type { Item } from '../model/tree.ts';
import { ExpressionField } from './expression-field.tsx';

const MOST_VALUES = 20;
const MOST_CODES = 20;
const TODAY: Partial<Readonly<Record<Item['type'], string>>> = { date: 'today()', dateTime: 'now()' };

type Way = 'none' | 'values' | 'today' | 'own';

export function InitialFields({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const { linkId, initial = [], type } = item;
  const expression = expressionOf(item, 'initial');
  const today = TODAY[type];
  const [chosen, choose] = useState<Way>(() => {
    if (expression !== undefined) return expression === today ? 'today' : 'own';
    return initial.length > 0 ? 'values' : 'none';
  });
  if (isForeign(item, 'initial')) return <p className="quiet">{t('formBuilder.expression.foreign')}</p>;
  const input = initialInputOf(item);
  const ways: readonly Way[] = [
    'none',
    ...(input === undefined ? [] : (['values'] as const)),
    ...(today === undefined ? [] : (['today'] as const)),
    'own',
  ];
  const take = (way: Way) => {
    choose(way);
    draft.changeItem(linkId, (each) => {
      const text = way === 'today' ? today : way === 'own' ? (expression ?? '') : undefined;
      return withExpression(way === 'values' ? each : withInitials(each, []), 'initial', text);
    });
  };
  return (
    <>
      <NativeSelect
        label={t('formBuilder.initial.way')}
        value={chosen}
        onChange={({ currentTarget }) => {
          const way = ways.find((each) => each === currentTarget.value);
          if (way !== undefined) take(way);
        }}
        data={ways.map((value) => ({ value, label: t(`formBuilder.initial.${value}`) }))}
      />
      {chosen === 'values' && <InitialValues item={item} />}
      {chosen === 'own' && (
        <ExpressionField
          item={item}
          field="initial"
          label={t('formBuilder.initial.expression')}
          value={expression ?? ''}
          onChange={(text) =>
            draft.changeItem(linkId, (each) => withExpression(each, 'initial', text), `${linkId}.initial`)
          }
        />
      )}
    </>
  );
}

function InitialValues({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const { linkId, initial = [], repeats = false } = item;
  const rows: readonly (QuestionnaireItemInitial | undefined)[] = initial.length === 0 ? [undefined] : initial;
  const set = (index: number, value: QuestionnaireItemInitial | undefined, typing?: string) =>
    draft.changeItem(
      linkId,
      (each) => {
        const before = each.initial ?? [];
        if (value === undefined) return withInitials(each, before.toSpliced(index, 1));
        return withInitials(each, index < before.length ? before.with(index, value) : [...before, value]);
      },
      typing,
    );
  const [extra, setExtra] = useState(0);
  const shown = [...rows, ...Array.from({ length: Math.max(0, extra - rows.length) }, () => undefined)];
  return (
    <>
      {shown.map((value, index) => (
        <InitialValue
          // biome-ignore lint/suspicious/noArrayIndexKey: a value has no other name than its place
          key={index}
          item={item}
          index={index}
          value={value}
          onChange={(next, typing) => set(index, next, typing)}
        />
      ))}
      {repeats && initial.length > 0 && shown.length < MOST_VALUES && (
        <p className="actions">
          <Button variant="default" onClick={() => setExtra(initial.length + 1)}>
            {t('formBuilder.initial.add')}
          </Button>
        </p>
      )}
    </>
  );
}

interface InitialValueProps {
  readonly item: Item;
  readonly index: number;
  readonly value: QuestionnaireItemInitial | undefined;
  readonly onChange: (next: QuestionnaireItemInitial | undefined, typing?: string) => void;
}

function InitialValue({ item, index, value, onChange }: InitialValueProps) {
  const { t } = useTranslation();
  const input = initialInputOf(item);
  const text = initialText(value);
  // A number in the making is none yet, so what is typed stays as it is.
  const [typed, setTyped] = useState(text);
  const label = index === 0 ? t('formBuilder.initial.value') : t('formBuilder.initial.valueOf', { number: index + 1 });
  const error = useIssue(item.linkId, `initial.${index}`);
  const change = (next: string) => onChange(initialFrom(item, next), `${item.linkId}.initial.${index}`);
  const shared = { label, error, maxLength: 2_000 };
  switch (input) {
    case 'yesNo':
      return (
        <NativeSelect
          label={label}
          value={text}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          data={[
            { value: '', label: t('formBuilder.chooseAnswer') },
            { value: 'true', label: t('formBuilder.yes') },
            { value: 'false', label: t('formBuilder.no') },
          ]}
        />
      );
    case 'number':
      return (
        <TextInput
          {...shared}
          inputMode="decimal"
          autoComplete="off"
          value={numberFrom(typed) === numberFrom(text) ? typed : text}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            change(currentTarget.value.trim());
          }}
        />
      );
    case 'long':
      return <Textarea {...shared} value={text} onChange={({ currentTarget }) => change(currentTarget.value)} />;
    case 'coding':
      return <InitialCode item={item} label={label} coding={value?.valueCoding} onChange={onChange} />;
    case 'date':
    case 'time':
    case 'dateTime': {
      const shown = input === 'dateTime' ? dateTimeText(text) : input === 'time' ? text.slice(0, 5) : text;
      const kind = input === 'dateTime' ? 'datetime-local' : input;
      return (
        <TextInput
          {...shared}
          type={kind}
          value={shown}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
      );
    }
    default:
      return <TextInput {...shared} value={text} onChange={({ currentTarget }) => change(currentTarget.value)} />;
  }
}

interface InitialCodeProps {
  readonly item: Item;
  readonly label: string;
  readonly coding: Coding | undefined;
  readonly onChange: InitialValueProps['onChange'];
}

/** One of the codes of the question's list. */
function InitialCode({ item, label, coding, onChange }: InitialCodeProps) {
  const { t } = useTranslation();
  const { answerValueSet: source = '' } = item;
  return (
    <TypeAhead
      label={label}
      description={t('form.typeToFind')}
      chosen={coding?.display ?? coding?.code ?? ''}
      none={t('form.noneFound')}
      queryKey={['form-codes', source]}
      find={async (text, signal) =>
        (await codesOf(source, text, { signal, most: MOST_CODES })).map((each) => ({
          key: `${each.system ?? ''}|${each.code}`,
          label: each.display ?? each.code ?? '',
          detail: each.code,
          value: each,
        }))
      }
      onChoose={(each) => onChange(each === undefined ? undefined : initialOfCoding(each))}
    />
  );
}
