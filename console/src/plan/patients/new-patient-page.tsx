// A new record of a patient. Where one with the number exists, that one is shown instead.

import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Identifier, Patient } from 'fhir/r5';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { createUnless, postJson } from '../../api/fhir.ts';
import { Problem } from '../../api/problem.ts';
import { useRequestKey } from '../../app/request-key.ts';
import { dayText } from '../../i18n/format.ts';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Page } from '../../shell/page.tsx';
import { OnlyPlanners } from '../only-planners.tsx';
import { GENDERS, type Gender, useNewPatientForm } from './new-patient-form.ts';
import { type PersonNumber, readPersonNumber } from './personnummer.ts';

const SYSTEM = 'http://electronichealth.se/identifier/';

interface NewPatient {
  readonly given: string;
  readonly family: string;
  /** Undefined of who has no Swedish number. */
  readonly number: PersonNumber | undefined;
  readonly birthDate: string | undefined;
  readonly gender: Gender;
}

export function NewPatientPage() {
  return (
    <OnlyPlanners>
      <NewPatientScreen />
    </OnlyPlanners>
  );
}

function NewPatientScreen() {
  const { t } = useTranslation();
  const [form, change, drop] = useNewPatientForm();
  const { given, family, typed, hasNumber, born, chosen } = form;
  const [isChecked, setChecked] = useState(false);
  const number = hasNumber ? readPersonNumber(typed, new Date()) : undefined;
  const gender = chosen ?? number?.gender ?? 'unknown';
  const make = useMake(drop);
  const isWrong = hasNumber && number === undefined && (isChecked || typed.trim().length >= 10);
  const isFuture = born > dayText(new Date().toISOString());
  const required = (text: string) => (isChecked && text.trim() === '' ? t('form.issue.required') : undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    const isWhole = given.trim() !== '' && family.trim() !== '' && (hasNumber ? number !== undefined : !isFuture);
    const birthDate = hasNumber ? number?.birthDate : born || undefined;
    if (isWhole) make.mutate({ given: given.trim(), family: family.trim(), number, birthDate, gender });
  };
  return (
    <Page title={t('planner.newPatient.title')}>
      <form className="card" onSubmit={submit} noValidate>
        <div className="filters">
          <TextInput
            label={t('planner.newPatient.given')}
            value={given}
            error={required(given)}
            autoComplete="off"
            onChange={({ currentTarget }) => change({ given: currentTarget.value })}
          />
          <TextInput
            label={t('planner.newPatient.family')}
            value={family}
            error={required(family)}
            autoComplete="off"
            onChange={({ currentTarget }) => change({ family: currentTarget.value })}
          />
          {hasNumber ? (
            <TextInput
              label={t('planner.patient.number')}
              value={typed}
              autoComplete="off"
              error={isWrong ? t('planner.patients.wrongNumber') : undefined}
              onChange={({ currentTarget }) => change({ typed: currentTarget.value })}
            />
          ) : (
            <TextInput
              type="date"
              label={t('planner.newPatient.birthDate')}
              value={born}
              error={isFuture ? t('planner.newPatient.future') : undefined}
              onChange={({ currentTarget }) => change({ born: currentTarget.value })}
            />
          )}
          <NativeSelect
            label={t('planner.newPatient.gender')}
            value={gender}
            onChange={({ currentTarget }) => change({ chosen: GENDERS.find((each) => each === currentTarget.value) })}
            data={GENDERS.map((each) => ({ value: each, label: t(`planner.patient.gender.${each}`) }))}
          />
        </div>
        <CheckBox
          label={t('planner.newPatient.noNumber')}
          isChecked={!hasNumber}
          onChange={(isChecked) => change({ hasNumber: !isChecked })}
        />
        <p className="quiet">{number !== undefined && t('planner.newPatient.born', { day: number.birthDate })}</p>
        {make.error !== null && <ErrorCard error={make.error} />}
        <p className="actions">
          <Button type="submit" loading={make.isPending}>
            {t('planner.newPatient.make')}
          </Button>
          <Link to="/plan/patients" className="plain-button">
            {t('planner.back')}
          </Link>
        </p>
      </form>
    </Page>
  );
}

/** Makes the record, or finds the one that there is, and leads to it. A number that was mistyped may be another's. */
function useMake(onMade: () => void) {
  const navigate = useNavigate();
  const key = useRequestKey('patient');
  return useMutation({
    mutationFn: async ({ given, family, number, birthDate, gender }: NewPatient) => {
      const known = number === undefined ? undefined : await recordWith(number.text);
      if (known !== undefined) return { id: known, isKnownRecord: true };
      const identifier = number && identifierOf(number);
      const patient: Patient = {
        resourceType: 'Patient',
        ...(identifier === undefined ? {} : { identifier: [identifier] }),
        name: [{ family, given: given.split(/\s+/) }],
        gender,
        ...(birthDate === undefined ? {} : { birthDate }),
      };
      const address = '/dispatch/api/v1/Patient';
      if (identifier === undefined) {
        const { id } = await postJson<Patient>(address, patient, key.of(patient));
        return { id, isKnownRecord: false };
      }
      // Identity knows a record a moment after it was made. Until then dispatch finds what a colleague made.
      const unless = { identifier: `${identifier.system}|${identifier.value}` };
      const { resource, isFound } = await createUnless(address, patient, { unless, key: key.of(patient) });
      return { id: resource.id, isKnownRecord: isFound };
    },
    onSettled: (_, error) => key.settled(error),
    onSuccess: ({ id, isKnownRecord }) => {
      onMade();
      return navigate({ to: `/plan/patients/${id}`, state: { isKnownRecord } });
    },
  });
}

function identifierOf({ isCoordination, text: value }: PersonNumber): Identifier {
  return { system: `${SYSTEM}${isCoordination ? 'samordningsnummer' : 'personnummer'}`, value };
}

/** The id of the record that the reader's organisations have already. */
async function recordWith(personnummer: string): Promise<string | undefined> {
  try {
    const { records } = await read(identity.POST('/api/patients/lookup', { body: { personnummer } }));
    return records.find(({ service }) => service === 'dispatch')?.id;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  }
}
