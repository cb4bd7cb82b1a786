// Activities, each with its steps. An activity is changed in its place, taken out of use and back, or deleted.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useKeptForm, useOpenWhereKept } from '../../app/use-kept.ts';
import { Cards } from '../../shared/cards.tsx';
import type { Part } from '../../shared/change/parts.ts';
import { useChange } from '../../shared/change/use-change.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { AddForm } from './add-form.tsx';
import { ChangeButton } from './change/change-button.tsx';
import { ChangeForm } from './change/change-form.tsx';
import { LibraryFailure } from './change/library-failure.tsx';
import { RemoveButton } from './change/remove-button.tsx';
import { LIBRARY, useChangeForm } from './change/use-change-form.ts';
import { usesOfActivity } from './change/uses.ts';
import { type Activity, useActivities, useGoals } from './library-queries.ts';
import { NamedConcept } from './named-concept.tsx';
import { NewStep, newStepName, Steps } from './steps.tsx';
import { useAdd } from './use-add.ts';

export function Activities() {
  const { t } = useTranslation();
  return (
    <>
      <p className="quiet">{t('planner.library.copies')}</p>
      <Loaded query={useActivities()}>
        {({ data }) => (
          <Cards items={data} none={t('planner.library.noActivities')}>
            {(activity) => <ActivityCard key={activity.activity_guid} activity={activity} />}
          </Cards>
        )}
      </Loaded>
      <NewActivity />
    </>
  );
}

function ActivityCard({ activity }: { readonly activity: Activity }) {
  const { t } = useTranslation();
  const goals = useGoals();
  const [isAdding, setAdding] = useOpenWhereKept(newStepName(activity));
  const [isChanging, setChanging] = useOpenWhereKept(changeName(activity));
  const { activity_guid: guid, name, status } = activity;
  return (
    <li className="card">
      <div className="row">
        <h3>{name}</h3>
        <span className="quiet">{activity.concept_name}</span>
        {status !== 'active' && <span className="badge">{t(`planner.activities.state.${status}`)}</span>}
      </div>
      {isChanging ? (
        <ActivityChange activity={activity} onClose={() => setChanging(false)} />
      ) : (
        <p className="actions">
          <ChangeButton title={name} onClick={() => setChanging(true)} />
          <UseButton activity={activity} />
          <RemoveButton
            path={`/activities/${guid}`}
            version={activity.version}
            title={name}
            effect={t('planner.activities.removeEffect')}
            uses={usesOfActivity(guid, goals.data?.data ?? [])}
          />
        </p>
      )}
      <Steps activity={activity} />
      {isAdding ? (
        <NewStep activity={activity} onDone={() => setAdding(false)} />
      ) : (
        <p className="actions">
          <Button variant="default" onClick={() => setAdding(true)}>
            {t('planner.activities.addStep')}
          </Button>
        </p>
      )}
    </li>
  );
}

function useParts(): readonly Part<Activity>[] {
  const { t } = useTranslation();
  return [
    { field: 'name', label: t('planner.activities.name'), words: ({ name }) => name },
    { field: 'concept', label: t('planner.concepts.concept'), words: ({ concept_name: name }) => name },
    {
      field: 'status',
      label: t('planner.activities.use'),
      words: ({ status }) => t(`planner.activities.state.${status}`),
    },
  ];
}

function optionsFor({ activity_guid: guid }: Activity, parts: readonly Part<Activity>[]) {
  return {
    path: `/activities/${guid}`,
    versionOf: ({ version }: Activity) => version,
    parts,
    // The steps have addresses of their own.
    bodyOf: ({ transactions: _steps, ...rest }: Activity) => rest,
  };
}

/** Out of use it is offered to no new plan; it is harmless, as it can be taken back. */
function UseButton({ activity }: { readonly activity: Activity }) {
  const { t } = useTranslation();
  const { status, name: title } = activity;
  const store = useChange<Activity>({
    ...optionsFor(activity, useParts()),
    shownBy: LIBRARY,
    onChanged: () => undefined,
  });
  const isActive = status === 'active';
  return (
    <>
      <button
        type="button"
        className="plain-button"
        disabled={store.isPending}
        aria-label={t(isActive ? 'planner.library.retireOf' : 'planner.library.restoreOf', { title })}
        onClick={() => store.mutate({ changes: { status: isActive ? 'retired' : 'active' }, opened: activity })}
      >
        {t(isActive ? 'planner.library.retire' : 'planner.library.restore')}
      </button>
      {store.error !== null && <LibraryFailure error={store.error} />}
    </>
  );
}

function changeName({ activity_guid: guid }: Activity): string {
  return `change-activity-${guid}`;
}

function ActivityChange({ activity, onClose }: { readonly activity: Activity; readonly onClose: () => void }) {
  const parts = useParts();
  const { form, opened, change, close, store } = useChangeForm({
    name: changeName(activity),
    record: activity,
    formOf: ({ name, concept }: Activity): ActivityForm => ({ name, concept }),
    ...optionsFor(activity, parts),
    onClose,
  });
  const changes = { name: form.name.trim(), concept: form.concept };
  return (
    <ChangeForm<Activity> {...{ change: store, parts, opened, changes }} isReady={isReady(form)} onClose={close}>
      <ActivityFields form={form} onChange={change} conceptName={opened.concept_name} />
    </ChangeForm>
  );
}

interface ActivityForm {
  readonly name: string;
  readonly concept: string;
}

interface ActivityFieldsProps {
  readonly form: ActivityForm;
  readonly onChange: (next: Partial<ActivityForm>) => void;
  readonly conceptName?: string;
}

function ActivityFields({ form, onChange, conceptName }: ActivityFieldsProps) {
  const { t } = useTranslation();
  return (
    <div className="filters">
      <NamedConcept label={t('planner.activities.name')} form={form} conceptName={conceptName} onChange={onChange} />
    </div>
  );
}

function isReady({ name, concept }: ActivityForm): boolean {
  return name.trim() !== '' && concept !== '';
}

const EMPTY_ACTIVITY: ActivityForm = { name: '', concept: '' };

function NewActivity() {
  const { t } = useTranslation();
  const [form, change] = useKeptForm('new-activity', EMPTY_ACTIVITY);
  const add = useAdd('/activities', () => change({ name: '' }));
  const body = { name: form.name.trim(), concept: form.concept, status: 'active' };
  return (
    <AddForm
      title={t('planner.activities.new')}
      {...{ add, body }}
      isReady={isReady(form)}
      button={t('planner.activities.add')}
    >
      <ActivityFields form={form} onChange={change} />
    </AddForm>
  );
}
