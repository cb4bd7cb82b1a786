// Goals: what a plan aims at, with a value where there is one. Each is changed in its place, or deleted.
import { useTranslation } from 'react-i18next';
import { useKeptForm, useOpenWhereKept } from '../../app/use-kept.ts';
import { numberText } from '../../i18n/format.ts';
import { currentLanguage } from '../../i18n/i18n.ts';
import { Cards } from '../../shared/cards.tsx';
import type { Part } from '../../shared/change/parts.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { AddForm } from './add-form.tsx';
import { ChangeButton } from './change/change-button.tsx';
import { ChangeForm } from './change/change-form.tsx';
import { RemoveButton } from './change/remove-button.tsx';
import { useChangeForm } from './change/use-change-form.ts';
import { EMPTY_GOAL, formOfGoal, isGoalReady, type Target, targetIn } from './goal-body.ts';
import { GoalFields } from './goal-form.tsx';
import { type LibraryGoal, useActivities, useGoals } from './library-queries.ts';
import { useAdd } from './use-add.ts';

export function Goals() {
  const { t } = useTranslation();
  return (
    <>
      <p className="quiet">{t('planner.library.copies')}</p>
      <Loaded query={useGoals()}>
        {({ data }) => (
          <Cards items={data} none={t('planner.library.noGoals')}>
            {(goal) => <GoalCard key={goal.goal_guid} goal={goal} />}
          </Cards>
        )}
      </Loaded>
      <NewGoal />
    </>
  );
}

function GoalCard({ goal }: { readonly goal: LibraryGoal }) {
  const { t } = useTranslation();
  const [isChanging, setChanging] = useOpenWhereKept(changeName(goal));
  const path = `/goals/${goal.goal_guid}`;
  return (
    <li className="card">
      <strong>{goal.name}</strong>
      <p className="quiet">{[goal.concept_name, targetWords(goal)].filter((words) => words !== '').join(', ')}</p>
      {isChanging ? (
        <GoalChange goal={goal} onClose={() => setChanging(false)} />
      ) : (
        <p className="actions">
          <ChangeButton title={goal.name} onClick={() => setChanging(true)} />
          <RemoveButton path={path} version={goal.version} title={goal.name} effect={t('planner.goals.removeEffect')} />
        </p>
      )}
    </li>
  );
}

/** `≤ 80 kilogram`; empty for a goal without a value. */
function targetWords(goal: LibraryGoal): string {
  const target = goal.target as Target | null;
  if (target === null) return '';
  const { comparator, value, low, high, unit_name: unit } = target;
  const sign = { '<': '<', '<=': '≤', '=': '', '>=': '≥', '>': '>' }[comparator ?? '='];
  const words =
    value === undefined
      ? [low, high].map((end) => (end === undefined ? '' : numberText(end))).join('–')
      : `${sign} ${numberText(value)}`;
  return `${words.trim()} ${unit ?? ''}`.trimEnd();
}

function changeName({ goal_guid: guid }: LibraryGoal): string {
  return `change-goal-${guid}`;
}

function useParts(): readonly Part<LibraryGoal>[] {
  const { t } = useTranslation();
  const activities = useActivities();
  const nameOf = (guid: string) => activities.data?.data.find(({ activity_guid: each }) => each === guid)?.name ?? guid;
  return [
    { field: 'name', label: t('planner.goals.name'), words: ({ name }) => name },
    { field: 'concept', label: t('planner.concepts.concept'), words: ({ concept_name: name }) => name },
    { field: 'target', label: t('planner.goals.value'), words: targetWords },
    {
      field: 'activities',
      label: t('planner.goals.activities'),
      words: ({ activities: served }) => served.map(nameOf).join(', '),
    },
  ];
}

function GoalChange({ goal, onClose }: { readonly goal: LibraryGoal; readonly onClose: () => void }) {
  const parts = useParts();
  const { form, opened, change, close, store } = useChangeForm({
    name: changeName(goal),
    record: goal,
    formOf: (record: LibraryGoal) => formOfGoal(record, currentLanguage() === 'sv' ? ',' : '.'),
    path: `/goals/${goal.goal_guid}`,
    versionOf: ({ version }) => version,
    parts,
    onClose,
  });
  const { name, concept, served } = form;
  const changes = {
    name: name.trim(),
    concept,
    target: targetIn(form),
    activities: [...served],
  } as Partial<LibraryGoal>;
  return (
    <ChangeForm {...{ change: store, parts, opened, changes }} isReady={isGoalReady(form)} onClose={close}>
      <GoalFields form={form} onChange={change} conceptName={opened.concept_name} />
    </ChangeForm>
  );
}

function NewGoal() {
  const { t } = useTranslation();
  const [form, change] = useKeptForm('new-goal', EMPTY_GOAL);
  const add = useAdd('/goals', () => change({ name: '', value: '', high: '', served: [] }));
  const { name, concept, served } = form;
  const target = targetIn(form);
  const body = { name: name.trim(), concept, activities: served, ...(target === null ? {} : { target }) };
  return (
    <AddForm
      title={t('planner.goals.new')}
      {...{ add, body }}
      isReady={isGoalReady(form)}
      button={t('planner.goals.add')}
    >
      <GoalFields form={form} onChange={change} />
    </AddForm>
  );
}
