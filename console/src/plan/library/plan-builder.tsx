// Builds a plan of activities, in order, and goals, and publishes it: a new plan, or the next version of one that is
// published. What is chosen is kept in the tab until then.
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { PlanDefinition } from 'fhir/r5';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { postJson } from '../../api/fhir.ts';
import { useRequestKey } from '../../app/request-key.ts';
import { useKept } from '../../app/use-kept.ts';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty } from '../../shell/page.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { moved, OrderButtons } from '../order-buttons.tsx';
import { LibraryFailure } from './change/library-failure.tsx';
import { type Activity, readPlan, storePlanAs, useActivities, useGoals } from './library-queries.ts';
import { madeOf } from './made-of.ts';

export function PlanBuilder() {
  const { of: id } = useSearch({ strict: false }) as { of?: string };
  return id === undefined ? <Builder name="plan" start={NOTHING} /> : <NextVersion key={id} id={id} />;
}

/** What is chosen at first. */
interface Start {
  readonly title: string;
  readonly activities: readonly string[];
  readonly goals: readonly string[];
}

const NOTHING: Start = { title: '', activities: [], goals: [] };

/** A published plan is a copy: what it was made of is found in the library by name. */
function NextVersion({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const plan = useQuery({ queryKey: ['plan-definition', id], queryFn: () => readPlan(id) });
  const activities = useActivities();
  const goals = useGoals();
  return (
    <Loaded query={plan}>
      {(former) => (
        <Loaded query={activities}>
          {({ data: known }) => (
            <Loaded query={goals}>
              {({ data: aims }) => {
                const found = madeOf(former, known, aims);
                return (
                  <>
                    <p className="note">{t('planner.builder.ofFormer', { title: former.title ?? '' })}</p>
                    {found.missing.length > 0 && (
                      <p className="note">{t('planner.builder.notFound', { names: found.missing.join(', ') })}</p>
                    )}
                    <Builder name={`plan-${id}`} start={found} former={former} />
                  </>
                );
              }}
            </Loaded>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

interface BuilderProps {
  /** Under which what is chosen is kept. */
  readonly name: string;
  readonly start: Start;
  /** The version that this one follows. */
  readonly former?: PlanDefinition;
}

function Builder({ name, start, former }: BuilderProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const key = useRequestKey(name);
  const [title, setTitle, dropTitle] = useKept(`${name}-title`, start.title);
  const [chosen, choose, dropChosen] = useChoice(`${name}-activities`, start.activities);
  const [goals, chooseGoals, dropGoals] = useChoice(`${name}-goals`, start.goals);
  const [isAsking, setAsking] = useState(false);
  const publish = useMutation({
    mutationFn: async () => {
      const series = former?.url === undefined ? {} : { url: former.url };
      const body = { title: title.trim(), activities: chosen, goals, ...series };
      await postJson('/engine/api/v1/plan-definitions', body, key.of(body));
      if (former?.id === undefined) return true;
      // It may belong to another organisation: the new version is published all the same.
      return storePlanAs(former.id, 'retired').then(
        () => true,
        () => false,
      );
    },
    onError: () => setAsking(false),
    onSettled: (_, error) => key.settled(error),
    onSuccess: async (isReplaced) => {
      for (const drop of [dropTitle, dropChosen, dropGoals]) drop();
      await queries.invalidateQueries({ queryKey: ['plan-definitions'] });
      await navigate({ to: '/plan/library', search: (isReplaced ? {} : { former: 'stays' }) as never });
    },
  });
  const isReady = title.trim() !== '' && chosen.length > 0;
  return (
    <>
      <TextInput
        label={t('planner.builder.name')}
        value={title}
        maxLength={200}
        onChange={({ currentTarget }) => setTitle(currentTarget.value)}
      />
      <h3>{t('planner.builder.activities')}</h3>
      <Loaded query={useActivities()}>
        {({ data }) => <ActivityChoice activities={data} chosen={chosen} onChange={choose} />}
      </Loaded>
      <h3>{t('planner.builder.goals')}</h3>
      <Loaded query={useGoals()}>
        {({ data }) => (
          <>
            {data.length === 0 && (
              <Empty>
                {t('planner.library.noGoals')} <Link to="/plan/library/goals">{t('planner.builder.toGoals')}</Link>
              </Empty>
            )}
            {data.map((goal) => (
              <CheckBox
                key={goal.goal_guid}
                label={goal.name}
                isChecked={goals.includes(goal.goal_guid)}
                onChange={(isChecked) => chooseGoals(toggled(goals, goal.goal_guid, isChecked))}
              />
            ))}
          </>
        )}
      </Loaded>
      {!isReady && <p className="quiet">{t('planner.builder.missing')}</p>}
      {publish.error !== null && <LibraryFailure error={publish.error} />}
      <p className="actions">
        <Button disabled={!isReady} onClick={() => setAsking(true)}>
          {t('planner.builder.publish')}
        </Button>
      </p>
      {isAsking && (
        <ConfirmDialog
          title={t('planner.builder.sure')}
          effect={t(former === undefined ? 'planner.builder.effect' : 'planner.builder.effectOfVersion')}
          confirm={t('planner.builder.now')}
          act={publish}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

/** Guids in their order, kept as what is typed is. */
function useChoice(
  name: string,
  start: readonly string[],
): [readonly string[], (guids: readonly string[]) => void, () => void] {
  const [text, set, drop] = useKept(name, start.join(' '));
  return [text === '' ? [] : text.split(' '), (guids) => set(guids.join(' ')), drop];
}

function toggled(guids: readonly string[], guid: string, isOn: boolean): readonly string[] {
  return isOn ? [...guids, guid] : guids.filter((each) => each !== guid);
}

interface ActivityChoiceProps {
  readonly activities: readonly Activity[];
  readonly chosen: readonly string[];
  readonly onChange: (guids: readonly string[]) => void;
}

function ActivityChoice({ activities, chosen, onChange }: ActivityChoiceProps) {
  const { t } = useTranslation();
  const active = activities.filter(({ status }) => status === 'active');
  const inOrder = chosen.flatMap((guid) => active.find((each) => each.activity_guid === guid) ?? []);
  if (active.length === 0) {
    return (
      <Empty>
        {t('planner.library.noActivities')}{' '}
        <Link to="/plan/library/activities">{t('planner.builder.toActivities')}</Link>
      </Empty>
    );
  }
  return (
    <>
      <ol className="ordered">
        {inOrder.map((activity, index) => (
          <li key={activity.activity_guid}>
            <span>{activity.name}</span>
            <span className="order-buttons">
              <OrderButtons
                title={activity.name}
                isFirst={index === 0}
                isLast={index === inOrder.length - 1}
                onMove={(by) => onChange(moved(chosen, index, by))}
              />
            </span>
          </li>
        ))}
      </ol>
      {active.map((activity) => (
        <CheckBox
          key={activity.activity_guid}
          label={activity.name}
          isChecked={chosen.includes(activity.activity_guid)}
          onChange={(isChecked) => onChange(toggled(chosen, activity.activity_guid, isChecked))}
        />
      ))}
    </>
  );
}
