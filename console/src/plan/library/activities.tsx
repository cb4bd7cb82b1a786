// Activities, each with its steps: what is measured or asked, how often.
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { readKept } from '../../app/kept.ts';
import { useKeptForm } from '../../app/use-kept.ts';
import { type Repeat, timingWords } from '../../clinical/timing.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty } from '../../shell/page.tsx';
import { ConceptPicker } from './concept-picker.tsx';
import { type Activity, useActivities } from './library-queries.ts';
import { TimingEditor } from './timing-editor.tsx';
import { UnitSelect } from './unit-select.tsx';
import { useAdd } from './use-add.ts';

export function Activities() {
  const { t } = useTranslation();
  return (
    <>
      <Loaded query={useActivities()}>
        {({ data }) => (
          <>
            {data.length === 0 && <Empty>{t('planner.library.noActivities')}</Empty>}
            <ul className="cards">
              {data.map((activity) => (
                <ActivityCard key={activity.activity_guid} activity={activity} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <NewActivity />
    </>
  );
}

function ActivityCard({ activity }: { readonly activity: Activity }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  // What was typed before a reload is open again.
  const [isAdding, setAdding] = useState(() => readKept(stepName(activity)) !== undefined);
  const remove = useMutation({
    mutationFn: (id: string) => read(engine.DELETE('/api/v1/transactions/{id}', { params: { path: { id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['library'] }),
  });
  return (
    <li className="card">
      <div className="row">
        <h3>{activity.name}</h3>
        <span className="quiet">{activity.concept_name}</span>
      </div>
      {activity.transactions.length === 0 && <p className="quiet">{t('planner.activities.noSteps')}</p>}
      <ul>
        {activity.transactions.map((step) => {
          const often = timingWords((step.timing ?? undefined) as Repeat | undefined, t);
          return (
            <li key={step.transaction_guid}>
              {step.name}
              {often !== undefined && <span className="quiet"> – {often}</span>}
              {!step.required && <span className="quiet"> ({t('plan.optional')})</span>}{' '}
              <button
                type="button"
                className="plain-button"
                aria-label={t('planner.forms.removeOf', { title: step.name })}
                onClick={() => remove.mutate(step.transaction_guid)}
              >
                {t('planner.forms.remove')}
              </button>
            </li>
          );
        })}
      </ul>
      {remove.error !== null && <ErrorCard error={remove.error} />}
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

interface StepForm {
  readonly name: string;
  readonly concept: string;
  readonly unit: string;
  readonly isRequired: boolean;
  readonly timing: Repeat;
}

const EMPTY_STEP: StepForm = {
  name: '',
  concept: '',
  unit: '',
  isRequired: true,
  timing: { frequency: 1, period: 1, periodUnit: 'd' },
};

function stepName({ activity_guid: guid }: Activity): string {
  return `new-step-${guid}`;
}

function NewStep({ activity, onDone }: { readonly activity: Activity; readonly onDone: () => void }) {
  const { t } = useTranslation();
  const [form, change, drop] = useKeptForm(stepName(activity), EMPTY_STEP);
  const { name, concept, unit, isRequired, timing } = form;
  const add = useAdd(`/activities/${activity.activity_guid}/transactions`, () => {
    drop();
    onDone();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate({ name: name.trim(), concept, timing, required: isRequired, ...(unit === '' ? {} : { unit }) });
  };
  return (
    <form onSubmit={submit}>
      <div className="filters">
        <TextInput
          label={t('planner.activities.stepName')}
          value={name}
          maxLength={200}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <ConceptPicker value={concept} onChange={(guid) => change({ concept: guid })} />
        <UnitSelect value={unit} onChange={(guid) => change({ unit: guid })} />
      </div>
      <TimingEditor value={timing} onChange={(next) => change({ timing: next })} />
      <label className="choice">
        <input
          type="checkbox"
          checked={isRequired}
          onChange={({ currentTarget }) => change({ isRequired: currentTarget.checked })}
        />
        {t('planner.activities.required')}
      </label>
      {add.error !== null && <ErrorCard error={add.error} />}
      <p className="actions">
        <Button type="submit" disabled={name.trim() === '' || concept === ''} loading={add.isPending}>
          {t('planner.activities.saveStep')}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            drop();
            onDone();
          }}
        >
          {t('planner.back')}
        </Button>
      </p>
    </form>
  );
}

const EMPTY_ACTIVITY = { name: '', concept: '' };

function NewActivity() {
  const { t } = useTranslation();
  const [{ name, concept }, change] = useKeptForm('new-activity', EMPTY_ACTIVITY);
  const add = useAdd('/activities', () => change({ name: '' }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate({ name: name.trim(), concept, status: 'active' });
  };
  return (
    <form className="card" onSubmit={submit}>
      <h3>{t('planner.activities.new')}</h3>
      <div className="filters">
        <TextInput
          label={t('planner.activities.name')}
          value={name}
          maxLength={200}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <ConceptPicker value={concept} onChange={(guid) => change({ concept: guid })} />
      </div>
      {add.error !== null && <ErrorCard error={add.error} />}
      <p className="actions">
        <Button type="submit" disabled={name.trim() === '' || concept === ''} loading={add.isPending}>
          {t('planner.activities.add')}
        </Button>
      </p>
    </form>
  );
}
