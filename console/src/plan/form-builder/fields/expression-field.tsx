// Something that is calculated, as FHIRPath, with what it means in words. Whether it can be read is said while it is
// typed.
import { Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useBuilder, useIssue, useTitleOf } from '../builder-context.ts';
import { formulaIn, questionsIn } from '../model/expressions.ts';
import { itemAt } from '../model/tree.ts';

const LONGEST = 2_000;

interface ExpressionFieldProps {
  /** The form itself where it has no link id. */
  readonly item: { readonly linkId: string | undefined };
  /** Of the issues, and what it is for. */
  readonly field: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export function ExpressionField({ item, field, label, value, onChange }: ExpressionFieldProps) {
  const { t } = useTranslation();
  return (
    <>
      <Textarea
        label={label}
        description={t('formBuilder.expression.hint')}
        error={useIssue(item.linkId, field)}
        autosize
        minRows={2}
        spellCheck={false}
        autoComplete="off"
        maxLength={LONGEST}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Explained expression={value} />
    </>
  );
}

const WORDS = ['sum', 'avg', 'max', 'min', 'count', 'round', 'today', 'now', 'exists', 'empty', 'iif'] as const;

/** What an expression reads and does, as far as words can say. */
export function Explained({ expression }: { readonly expression: string }) {
  const { t } = useTranslation();
  const { items } = useBuilder();
  const titleOf = useTitleOf();
  const questions = [...new Set(questionsIn(expression))].flatMap((id) => itemAt(items, id) ?? []);
  const names = questions.map((each) => `”${titleOf(each)}”`).join(', ');
  const formula = formulaIn(expression);
  const used = WORDS.filter((word) => new RegExp(`\\b${word}\\s*\\(`).test(expression));
  if (expression.trim() === '') return null;
  if (formula !== undefined) {
    return names === '' ? null : (
      <p className="quiet">{t(`formBuilder.expression.means.${formula.kind}`, { names })}</p>
    );
  }
  return (
    <p className="quiet">
      {[
        names === '' ? t('formBuilder.expression.readsNone') : t('formBuilder.expression.reads', { names }),
        ...(used.length === 0
          ? []
          : [
              t('formBuilder.expression.uses', {
                words: used.map((word) => t(`formBuilder.expression.word.${word}`)).join(', '),
              }),
            ]),
      ].join(' ')}
    </p>
  );
}
