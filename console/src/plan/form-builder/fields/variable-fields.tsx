// Values with a name, for the expressions of the form or of one item: each is written once and used by many.
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useIssue } from '../builder-context.ts';
import { type Variable, variablesOf, withVariables } from '../model/variables.ts';
import type { Holder } from './demand-fields.tsx';
import { ExpressionField } from './expression-field.tsx';
import { type RowProps, Rows } from './rows.tsx';

const MOST_VARIABLES = 20;

export function VariableFields({ element, linkId, change }: Holder) {
  const { t } = useTranslation();
  return (
    <>
      <p className="quiet">{t('formBuilder.variable.lead')}</p>
      <Rows
        values={variablesOf(element)}
        onChange={(next, typing) => change((each) => withVariables(each, next), typing)}
        most={MOST_VARIABLES}
        added={newVariable}
        addLabel={t('formBuilder.variable.add')}
      >
        {(row) => <VariableRow key={row.index} linkId={linkId} {...row} />}
      </Rows>
    </>
  );
}

function newVariable(): Variable {
  return { name: '', expression: '' };
}

function VariableRow(props: RowProps<Variable> & Pick<Holder, 'linkId'>) {
  const { linkId, index, value: variable, onChange, onRemove } = props;
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
