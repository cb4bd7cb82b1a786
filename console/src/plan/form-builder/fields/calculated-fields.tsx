// An answer that is calculated from the other answers: by a formula that is chosen in words, or by an expression.
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../../../shared/fields/check-box.tsx';
import { useBuilder, useIssue, useTitleOf } from '../builder-context.ts';
import {
  expressionOf,
  type Formula,
  formulaIn,
  formulaText,
  isForeign,
  numbersFor,
  withExpression,
} from '../model/expressions.ts';
import { withReadOnly } from '../model/help.ts';
import type { Item } from '../model/tree.ts';
import { Explained, ExpressionField } from './expression-field.tsx';

const NUMBERS: ReadonlySet<string> = new Set(['integer', 'decimal', 'quantity']);

type Way = 'none' | Formula['kind'] | 'own';

export function CalculatedFields({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft, items } = useBuilder();
  const titleOf = useTitleOf();
  const expression = expressionOf(item, 'calculated');
  const formula = expression === undefined ? undefined : formulaIn(expression);
  const [isOwn, setOwn] = useState(expression !== undefined && formula === undefined);
  const issue = useIssue(item.linkId, 'calculated');
  if (isForeign(item, 'calculated')) return <p className="quiet">{t('formBuilder.expression.foreign')}</p>;
  const way: Way = isOwn ? 'own' : (formula?.kind ?? 'none');
  const questions = formula?.questions ?? [];
  const set = (text: string | undefined, typing?: string) =>
    draft.changeItem(item.linkId, (each) => withExpression(each, 'calculated', text), typing);
  const choose = (next: Way) => {
    setOwn(next === 'own');
    draft.changeItem(item.linkId, (each) => {
      if (next === 'none') return withReadOnly(withExpression(each, 'calculated', undefined), false);
      const text = next === 'own' ? (expression ?? '') : formulaText({ kind: next, questions }, items);
      // What is calculated is not typed, unless somebody says so.
      const isNew = expression === undefined;
      return withExpression(isNew ? withReadOnly(each, true) : each, 'calculated', text);
    });
  };
  const mean: readonly Way[] = item.type === 'integer' ? [] : ['mean'];
  const ways: readonly Way[] = NUMBERS.has(item.type)
    ? ['none', 'sum', ...mean, 'highest', 'lowest', 'own']
    : ['none', 'own'];
  return (
    <>
      <NativeSelect
        label={t('formBuilder.calculated.way')}
        value={way}
        onChange={({ currentTarget }) => {
          const next = ways.find((each) => each === currentTarget.value);
          if (next !== undefined) choose(next);
        }}
        data={ways.map((value) => ({ value, label: t(`formBuilder.calculated.${value}`) }))}
      />
      {way !== 'none' && way !== 'own' && (
        <fieldset className="field">
          <legend>{t('formBuilder.calculated.of')}</legend>
          {issue !== undefined && <p className="bad">{issue}</p>}
          {numbersFor(items, item.linkId).length === 0 && (
            <p className="quiet">{t('formBuilder.calculated.noNumbers')}</p>
          )}
          {numbersFor(items, item.linkId).map((each) => (
            <CheckBox
              key={each.linkId}
              label={titleOf(each)}
              isChecked={questions.includes(each.linkId)}
              onChange={(isOn) => {
                const others = questions.filter((id) => id !== each.linkId);
                set(formulaText({ kind: way, questions: isOn ? [...others, each.linkId] : others }, items));
              }}
            />
          ))}
          <Explained expression={expression ?? ''} />
        </fieldset>
      )}
      {way === 'own' && (
        <ExpressionField
          item={item}
          field="calculated"
          label={t('formBuilder.calculated.expression')}
          value={expression ?? ''}
          onChange={(text) => set(text, `${item.linkId}.calculated`)}
        />
      )}
      {way !== 'none' && <p className="quiet">{t('formBuilder.calculated.effect')}</p>}
    </>
  );
}
