// Goals: what a plan aims at, with a value where there is one.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeptForm } from '../../app/use-kept.ts';
import { numberText } from '../../i18n/format.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty } from '../../shell/page.tsx';
import { ConceptPicker } from './concept-picker.tsx';
import { type LibraryGoal, useActivities, useGoals } from './library-queries.ts';
import { UnitSelect } from './unit-select.tsx';
import { useAdd } from './use-add.ts';

export function Goals() {
  const { t } = useTranslation();
  return (
    <>
      <Loaded query={useGoals()}>
        {({ data }) => (
          <>
            {data.length === 0 && <Empty>{t('planner.library.noGoals')}</Empty>}
            <ul className="cards">
              {data.map((goal) => (
                <li key={goal.goal_guid} className="card">
                  <strong>{goal.name}</strong>
                  <p className="quiet">
                    {goal.concept_name}
                    <Target target={goal.target} />
                  </p>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <NewGoal />
    </>
  );
}

/** `, ≤ 80 kilogram`. */
function Target({ target }: { readonly target: LibraryGoal['target'] }) {
  if (target === null) return null;
  const {
    comparator,
    value,
    low,
    high,
    unit_name: unit = '',
  } = target as Readonly<{
    comparator?: string;
    value?: number;
    low?: number;
    high?: number;
    unit_name?: string | null;
  }>;
  const sign = { '<': '<', '<=': '≤', '=': '', '>=': '≥', '>': '>' }[comparator ?? '='] ?? '';
  const words =
    value === undefined
      ? [low, high].map((end) => (end === undefined ? '' : numberText(end))).join('–')
      : `${sign} ${numberText(value)}`;
  return `, ${words.trim()} ${unit ?? ''}`.trimEnd();
}

const COMPARATORS = ['<', '<=', '=', '>=', '>'] as const;
const WORDS = { '<': 'below', '<=': 'atMost', '=': 'is', '>=': 'atLeast', '>': 'above' } as const;

interface GoalForm {
  readonly name: string;
  readonly concept: string;
  readonly comparator: (typeof COMPARATORS)[number];
  readonly value: string;
  readonly unit: string;
  readonly served: readonly string[];
}

const EMPTY_GOAL: GoalForm = { name: '', concept: '', comparator: '<', value: '', unit: '', served: [] };

function NewGoal() {
  const { t } = useTranslation();
  const activities = useActivities();
  const [{ name, concept, comparator, value, unit, served }, change] = useKeptForm('new-goal', EMPTY_GOAL);
  const add = useAdd('/goals', () => change({ name: '', value: '', served: [] }));
  const number = Number(value.trim().replace(',', '.'));
  const hasValue = value.trim() !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const target = { comparator, value: number, ...(unit === '' ? {} : { unit }) };
    add.mutate({ name: name.trim(), concept, activities: served, ...(hasValue ? { target } : {}) });
  };
  return (
    <form className="card" onSubmit={submit}>
      <h3>{t('planner.goals.new')}</h3>
      <div className="filters">
        <TextInput
          label={t('planner.goals.name')}
          value={name}
          maxLength={200}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <ConceptPicker value={concept} onChange={(guid) => change({ concept: guid })} />
        <NativeSelect
          label={t('planner.goals.comparator')}
          value={comparator}
          onChange={({ currentTarget }) =>
            change({ comparator: COMPARATORS.find((each) => each === currentTarget.value) ?? '<' })
          }
          data={COMPARATORS.map((each) => ({ value: each, label: t(`planner.goals.is.${WORDS[each]}`) }))}
        />
        <TextInput
          inputMode="decimal"
          label={t('planner.goals.value')}
          error={hasValue && Number.isNaN(number) ? t('form.issue.number') : undefined}
          value={value}
          onChange={({ currentTarget }) => change({ value: currentTarget.value })}
        />
        <UnitSelect value={unit} onChange={(guid) => change({ unit: guid })} />
      </div>
      <fieldset>
        <legend>{t('planner.goals.activities')}</legend>
        {(activities.data?.data ?? []).map((activity) => (
          <label key={activity.activity_guid} className="choice">
            <input
              type="checkbox"
              checked={served.includes(activity.activity_guid)}
              onChange={({ currentTarget: { checked } }) =>
                change({
                  served: checked
                    ? [...served, activity.activity_guid]
                    : served.filter((guid) => guid !== activity.activity_guid),
                })
              }
            />
            {activity.name}
          </label>
        ))}
      </fieldset>
      {add.error !== null && <ErrorCard error={add.error} />}
      <p className="actions">
        <Button
          type="submit"
          disabled={name.trim() === '' || concept === '' || (hasValue && Number.isNaN(number))}
          loading={add.isPending}
        >
          {t('planner.goals.add')}
        </Button>
      </p>
    </form>
  );
}
