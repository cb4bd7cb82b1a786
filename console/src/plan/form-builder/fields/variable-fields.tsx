// Values with a name, for the expressions of the form or of one item: each is written once and used by many.
import { Button, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useIssue } from '../builder-context.ts';
import { type Variable, variablesOf, withVariables } from '../model/variables.ts';
import type { Holder } from './demand-fields.tsx';
import { ExpressionField } from './expression-field.tsx';

const MOST_VARIABLES = 20;

export function VariableFields({ element, linkId, change }: Holder) {
  const { t } = useTranslation();
  const variables = variablesOf(element);
  const set = (next: readonly Variable[], typing?: string) => change((each) => withVariables(each, next), typing);
  return (
    <>
      <p className="quiet">{t('formBuilder.variable.lead')}</p>
      {variables.map((variable, index) => (
        <VariableRow
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is typed
          key={index}
          linkId={linkId}
          index={index}
          variable={variable}
          onChange={(next, typing) => set(variables.with(index, next), typing)}
          onRemove={() => set(variables.toSpliced(index, 1))}
        />
      ))}
      <p className="actions">
        <Button
          variant="default"
          disabled={variables.length >= MOST_VARIABLES}
          onClick={() => set([...variables, { name: '', expression: '' }])}
        >
          {t('formBuilder.variable.add')}
        </Button>
      </p>
    </>
  );
}

interface VariableRowProps {
  readonly linkId: string | undefined;
  readonly index: number;
  readonly variable: Variable;
  readonly onChange: (next: Variable, typing: string) => void;
  readonly onRemove: () => void;
}

function VariableRow({ linkId, index, variable, onChange, onRemove }: VariableRowProps) {
  const { t } = useTranslation();
  const number = index + 1;
  const typing = `${linkId ?? ''}.variable.${index}`;
  return (
    <fieldset className="rule" aria-label={t('formBuilder.variable.one', { number })}>
      <TextInput
        label={t('formBuilder.variable.name')}
        description={t('formBuilder.variable.nameHint', { name: variable.name || 'bmi' })}
        error={useIssue(linkId, `variableName.${index}`)}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={variable.name}
        onChange={({ currentTarget }) => onChange({ ...variable, name: currentTarget.value }, `${typing}.name`)}
      />
      <ExpressionField
        item={{ linkId }}
        field={`variable.${index}`}
        label={t('formBuilder.variable.expression')}
        value={variable.expression}
        onChange={(expression) => onChange({ ...variable, expression }, `${typing}.expression`)}
      />
      <button type="button" className="plain-button" onClick={onRemove}>
        {t('formBuilder.variable.remove', { number })}
      </button>
    </fieldset>
  );
}
