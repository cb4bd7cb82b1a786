// When an item is shown: rules about the answers to other questions, read as a sentence.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../../../shared/fields/check-box.tsx';
import { useBuilder, useIssue, useTitleOf } from '../builder-context.ts';
import { expressionOf, isForeign, withExpression } from '../model/expressions.ts';
import {
  answerText,
  codingKey,
  codingsOf,
  type Operator,
  operatorOf,
  operatorsFor,
  questionsFor,
  ruleAbout,
  type ShowRule,
  withAnswer,
  withOperator,
  withRules,
} from '../model/rules.ts';
import type { Item } from '../model/tree.ts';
import { ExpressionField } from './expression-field.tsx';

const MOST_RULES = 20;

export function RuleFields({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft, items } = useBuilder();
  const rules = item.enableWhen ?? [];
  const questions = questionsFor(items, item.linkId);
  const set = (next: readonly ShowRule[], typing?: string) =>
    draft.changeItem(item.linkId, (each) => withRules(each, next), typing);
  return (
    <fieldset className="field">
      <legend>{t('formBuilder.rules')}</legend>
      {rules.length === 0 && <p className="quiet">{t('formBuilder.always')}</p>}
      {rules.map((rule, index) => (
        <RuleRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no other name than its place
          key={index}
          item={item}
          index={index}
          rule={rule}
          questions={questions}
          onChange={(next, typing) => set(rules.with(index, next), typing)}
          onRemove={() => set(rules.toSpliced(index, 1))}
        />
      ))}
      {rules.length > 1 && (
        <NativeSelect
          label={t('formBuilder.joined')}
          value={item.enableBehavior ?? 'all'}
          onChange={({ currentTarget }) => {
            const enableBehavior = currentTarget.value === 'any' ? ('any' as const) : ('all' as const);
            draft.changeItem(item.linkId, (each) => ({ ...each, enableBehavior }));
          }}
          data={(['all', 'any'] as const).map((value) => ({ value, label: t(`formBuilder.${value}`) }))}
        />
      )}
      {questions.length === 0 ? (
        <p className="quiet">{t('formBuilder.noOthers')}</p>
      ) : (
        <p className="actions">
          <Button
            variant="default"
            disabled={rules.length >= MOST_RULES}
            onClick={() => set([...rules, { question: '', operator: 'exists', answerBoolean: true }])}
          >
            {t(rules.length === 0 ? 'formBuilder.addRule' : 'formBuilder.addAnotherRule')}
          </Button>
        </p>
      )}
      <ShownField item={item} />
    </fieldset>
  );
}

/** For what rules cannot say. */
function ShownField({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const expression = expressionOf(item, 'shown');
  if (isForeign(item, 'shown')) return <p className="quiet">{t('formBuilder.expression.foreign')}</p>;
  const set = (text: string | undefined, typing?: string) =>
    draft.changeItem(item.linkId, (each) => withExpression(each, 'shown', text), typing);
  return (
    <>
      <CheckBox
        label={t('formBuilder.shown.own')}
        isChecked={expression !== undefined}
        onChange={(isOn) => set(isOn ? '' : undefined)}
      />
      {expression !== undefined && (
        <ExpressionField
          item={item}
          field="shown"
          label={t('formBuilder.shown.expression')}
          value={expression}
          onChange={(text) => set(text, `${item.linkId}.shown`)}
        />
      )}
    </>
  );
}

const WORDS = {
  answered: 'answered',
  unanswered: 'unanswered',
  '=': 'is',
  '!=': 'isNot',
  '>': 'above',
  '<': 'below',
  '>=': 'atLeast',
  '<=': 'atMost',
} as const satisfies Readonly<Record<Operator, string>>;

interface RuleRowProps {
  readonly item: Item;
  readonly index: number;
  readonly rule: ShowRule;
  readonly questions: readonly Item[];
  readonly onChange: (next: ShowRule, typing?: string) => void;
  readonly onRemove: () => void;
}

function RuleRow({ item, index, rule, questions, onChange, onRemove }: RuleRowProps) {
  const { t } = useTranslation();
  const titleOf = useTitleOf();
  const number = index + 1;
  const question = questions.find(({ linkId }) => linkId === rule.question);
  const operator = operatorOf(rule);
  const operators = question === undefined ? [] : operatorsFor(question);
  return (
    <fieldset className="rule" aria-label={t('formBuilder.rule', { number })}>
      <div className="filters">
        <NativeSelect
          label={t('formBuilder.ruleQuestion')}
          error={useIssue(item.linkId, `rule.${index}`)}
          value={question?.linkId ?? ''}
          onChange={({ currentTarget }) => {
            const chosen = questions.find(({ linkId }) => linkId === currentTarget.value);
            if (chosen !== undefined) onChange(ruleAbout(chosen));
          }}
          data={[
            { value: '', label: t('formBuilder.chooseQuestion') },
            ...questions.map((each) => ({ value: each.linkId, label: titleOf(each) })),
          ]}
        />
        {question !== undefined && (
          <NativeSelect
            label={t('formBuilder.ruleOperator')}
            value={operator}
            onChange={({ currentTarget }) => {
              const next = operators.find((each) => each === currentTarget.value);
              if (next !== undefined) onChange(withOperator(rule, question, next));
            }}
            data={[...new Set([...operators, operator])].map((value) => ({
              value,
              label: t(`formBuilder.operator.${WORDS[value]}`),
            }))}
          />
        )}
        {question !== undefined && rule.operator !== 'exists' && (
          <AnswerField
            question={question}
            rule={rule}
            onChange={(text) => onChange(withAnswer(rule, question, text), `${item.linkId}.rule.${index}`)}
          />
        )}
      </div>
      <button type="button" className="plain-button" onClick={onRemove}>
        {t('formBuilder.removeRule', { number })}
      </button>
    </fieldset>
  );
}

interface AnswerFieldProps {
  readonly question: Item;
  readonly rule: ShowRule;
  readonly onChange: (text: string) => void;
}

function AnswerField({ question, rule, onChange }: AnswerFieldProps) {
  const { t } = useTranslation();
  const label = t('formBuilder.ruleAnswer');
  const value = answerText(rule);
  const choices = choicesOf(question, t('formBuilder.yes'), t('formBuilder.no'));
  if (choices !== undefined) {
    return (
      <NativeSelect
        label={label}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        data={[{ value: '', label: t('formBuilder.chooseAnswer') }, ...choices]}
      />
    );
  }
  const type = question.type === 'date' || question.type === 'time' ? question.type : 'text';
  const shown = type === 'time' ? value.slice(0, 5) : value;
  return (
    <TextInput
      label={label}
      type={type}
      maxLength={200}
      defaultValue={shown}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

function choicesOf(question: Item, yes: string, no: string) {
  if (question.type === 'boolean') {
    return [
      { value: 'true', label: yes },
      { value: 'false', label: no },
    ];
  }
  if (question.type !== 'coding') return undefined;
  return codingsOf(question).map((coding) => ({
    value: codingKey(coding),
    label: coding.display || (coding.code ?? ''),
  }));
}
