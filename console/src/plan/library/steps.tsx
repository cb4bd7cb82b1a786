// The steps of an activity: what is measured or asked, and how often. Each is changed in its place, or deleted.
import { Button } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { getJson } from '../../api/fhir.ts';
import { Problem } from '../../api/problem.ts';
import { useKeptForm, useOpenWhereKept } from '../../app/use-kept.ts';
import { type Repeat, timingWords } from '../../clinical/timing.ts';
import type { Part } from '../../shared/change/parts.ts';
import { ChangeButton } from './change/change-button.tsx';
import { ChangeForm } from './change/change-form.tsx';
import { LibraryFailure } from './change/library-failure.tsx';
import { RemoveButton } from './change/remove-button.tsx';
import { useChangeForm } from './change/use-change-form.ts';
import type { Activity } from './library-queries.ts';
import { EMPTY_STEP, isStepReady, StepFields, type StepForm } from './step-fields.tsx';
import { useAdd } from './use-add.ts';

type Step = Activity['transactions'][number];

export function Steps({ activity }: { readonly activity: Activity }) {
  const { t } = useTranslation();
  if (activity.transactions.length === 0) return <p className="quiet">{t('planner.activities.noSteps')}</p>;
  return (
    <ul>
      {activity.transactions.map((step) => (
        <StepRow key={step.transaction_guid} step={step} />
      ))}
    </ul>
  );
}

function StepRow({ step }: { readonly step: Step }) {
  const { t } = useTranslation();
  const [isChanging, setChanging] = useOpenWhereKept(changeName(step));
  const often = timingWords((step.timing ?? undefined) as Repeat | undefined, t);
  return (
    <li>
      {step.name}
      {often !== undefined && <span className="quiet"> – {often}</span>}
      {!step.required && <span className="quiet"> ({t('timing.optional')})</span>}{' '}
      {isChanging ? (
        <StepChange step={step} onClose={() => setChanging(false)} />
      ) : (
        <>
          <ChangeButton title={step.name} onClick={() => setChanging(true)} />{' '}
          <RemoveButton
            path={`/transactions/${step.transaction_guid}`}
            version={step.version}
            title={step.name}
            effect={t('planner.activities.removeStepEffect')}
          />
        </>
      )}
    </li>
  );
}

function changeName({ transaction_guid: guid }: Step): string {
  return `change-step-${guid}`;
}

function useParts(): readonly Part<Step>[] {
  const { t } = useTranslation();
  const often = ({ timing }: Step) => timingWords((timing ?? undefined) as Repeat | undefined, t) ?? '';
  const need = ({ required }: Step) => t(required ? 'form.yes' : 'form.no');
  return [
    { field: 'name', label: t('planner.activities.stepName'), words: ({ name }) => name },
    { field: 'concept', label: t('planner.concepts.concept'), words: ({ concept_name: name }) => name },
    { field: 'unit', label: t('planner.goals.unit'), words: ({ unit_name: name }) => name ?? '' },
    { field: 'required', label: t('planner.activities.required'), words: need },
    { field: 'timing', label: t('planner.timing.title'), words: often },
  ];
}

function StepChange({ step, onClose }: { readonly step: Step; readonly onClose: () => void }) {
  const parts = useParts();
  const { form, opened, change, close, store } = useChangeForm({
    name: changeName(step),
    record: step,
    formOf: ({ name, concept, unit, required: isRequired, timing }: Step): StepForm => {
      return { name, concept, unit: unit ?? '', isRequired, timing: timing as Repeat | null };
    },
    path: `/transactions/${step.transaction_guid}`,
    versionOf: ({ version }) => version,
    parts,
    readNow: () => readStep(step),
    onClose,
  });
  const { name, concept, unit, isRequired: required, timing } = form;
  const changes = { name: name.trim(), concept, unit: unit === '' ? null : unit, required, timing } as Partial<Step>;
  return (
    <ChangeForm {...{ change: store, parts, opened, changes }} isReady={isStepReady(form)} onClose={close}>
      <StepFields form={form} onChange={change} conceptName={opened.concept_name} />
    </ChangeForm>
  );
}

/** A step is read with its activity. @throws Problem */
async function readStep({ activity_guid: activity, transaction_guid: guid }: Step): Promise<Step> {
  const { transactions } = (await getJson(`/engine/api/v1/activities/${activity}`)) as Activity;
  const found = transactions.find(({ transaction_guid: each }) => each === guid);
  if (found === undefined) throw new Problem(new Response(null, { status: 404 }), undefined);
  return found;
}

export function newStepName({ activity_guid: guid }: Activity): string {
  return `new-step-${guid}`;
}

export function NewStep({ activity, onDone }: { readonly activity: Activity; readonly onDone: () => void }) {
  const { t } = useTranslation();
  const [form, change, drop] = useKeptForm(newStepName(activity), EMPTY_STEP);
  const close = () => {
    drop();
    onDone();
  };
  const add = useAdd(`/activities/${activity.activity_guid}/transactions`, close);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { name, concept, unit, isRequired, timing } = form;
    add.mutate({ name: name.trim(), concept, timing, required: isRequired, ...(unit === '' ? {} : { unit }) });
  };
  return (
    <form onSubmit={submit}>
      <StepFields form={form} onChange={change} />
      {add.error !== null && <LibraryFailure error={add.error} />}
      <p className="actions">
        <Button type="submit" disabled={!isStepReady(form)} loading={add.isPending}>
          {t('planner.activities.saveStep')}
        </Button>
        <Button variant="default" onClick={close}>
          {t('planner.back')}
        </Button>
      </p>
    </form>
  );
}
