// The fields of a goal, and what they are as a body of the engine's API. A target is a value or a range.
import { NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { type GoalForm, isGoalReady, numberIn, SIGNS, type Sign } from './goal-body.ts';
import { useActivities } from './library-queries.ts';
import { NamedConcept } from './named-concept.tsx';
import { UnitSelect } from './unit-select.tsx';

interface GoalFieldsProps {
  readonly form: GoalForm;
  readonly onChange: (next: Partial<GoalForm>) => void;
  /** The name of the concept that the goal has. */
  readonly conceptName?: string;
}

const WORDS = {
  '<': 'below',
  '<=': 'atMost',
  '=': 'is',
  '>=': 'atLeast',
  '>': 'above',
  between: 'between',
} as const satisfies Record<Sign, string>;

export function GoalFields({ form, onChange, conceptName }: GoalFieldsProps) {
  const { t } = useTranslation();
  const activities = useActivities();
  const { sign, value, high, unit, served } = form;
  const number = (label: string, field: 'value' | 'high', typed: string) => (
    <TextInput
      inputMode="decimal"
      label={label}
      error={numberIn(typed) === undefined || !Number.isNaN(numberIn(typed)) ? undefined : t('form.issue.number')}
      value={typed}
      onChange={({ currentTarget }) => onChange({ [field]: currentTarget.value })}
    />
  );
  const isCrossed = sign === 'between' && (numberIn(value) ?? 0) > (numberIn(high) ?? Number.POSITIVE_INFINITY);
  return (
    <>
      <div className="filters">
        <NamedConcept label={t('planner.goals.name')} form={form} conceptName={conceptName} onChange={onChange} />
        <NativeSelect
          label={t('planner.goals.comparator')}
          value={sign}
          onChange={({ currentTarget }) =>
            onChange({ sign: SIGNS.find((each) => each === currentTarget.value) ?? '<' })
          }
          data={SIGNS.map((each) => ({ value: each, label: t(`planner.goals.is.${WORDS[each]}`) }))}
        />
        {number(t(sign === 'between' ? 'planner.goals.low' : 'planner.goals.value'), 'value', value)}
        {sign === 'between' && number(t('planner.goals.high'), 'high', high)}
        <UnitSelect value={unit} onChange={(guid) => onChange({ unit: guid })} />
      </div>
      {isCrossed && !isGoalReady(form) && (
        <p className="bad" role="alert">
          {t('planner.goals.crossed')}
        </p>
      )}
      <fieldset>
        <legend>{t('planner.goals.activities')}</legend>
        {(activities.data?.data ?? []).map(({ activity_guid: guid, name: activity }) => (
          <CheckBox
            key={guid}
            label={activity}
            isChecked={served.includes(guid)}
            onChange={(isChecked) =>
              onChange({ served: isChecked ? [...served, guid] : served.filter((each) => each !== guid) })
            }
          />
        ))}
      </fieldset>
    </>
  );
}
