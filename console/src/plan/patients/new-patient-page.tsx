// A new record of a patient. Where one with the number exists, that one is shown instead.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Patient } from 'fhir/r5';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { postJson } from '../../api/fhir.ts';
import { Problem } from '../../api/problem.ts';
import { useRequestKey } from '../../app/request-key.ts';
import { useKeptForm } from '../../app/use-kept.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Page } from '../../shell/page.tsx';
import { type PersonNumber, readPersonNumber } from './personnummer.ts';

const GENDERS = ['female', 'male', 'other'] as const;
const SYSTEM = 'http://electronichealth.se/identifier/';

interface NewPatient {
  readonly given: string;
  readonly family: string;
  readonly number: PersonNumber;
  readonly gender: (typeof GENDERS)[number];
}

interface Typed {
  readonly given: string;
  readonly family: string;
  readonly typed: string;
  readonly chosen: NewPatient['gender'] | undefined;
}

const EMPTY: Typed = { given: '', family: '', typed: '', chosen: undefined };

export function NewPatientPage() {
  const { t } = useTranslation();
  const [{ given, family, typed, chosen }, change, drop] = useKeptForm('new-patient', EMPTY);
  const number = readPersonNumber(typed, new Date());
  const gender = chosen ?? number?.gender ?? 'other';
  const make = useMake(drop);
  const isWrong = typed.trim().length >= 10 && number === undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (number !== undefined) make.mutate({ given: given.trim(), family: family.trim(), number, gender });
  };
  return (
    <Page title={t('planner.newPatient.title')}>
      <form className="card" onSubmit={submit}>
        <div className="filters">
          <TextInput
            label={t('planner.newPatient.given')}
            value={given}
            autoComplete="off"
            onChange={({ currentTarget }) => change({ given: currentTarget.value })}
          />
          <TextInput
            label={t('planner.newPatient.family')}
            value={family}
            autoComplete="off"
            onChange={({ currentTarget }) => change({ family: currentTarget.value })}
          />
          <TextInput
            label={t('planner.patient.number')}
            value={typed}
            autoComplete="off"
            error={isWrong ? t('planner.patients.wrongNumber') : undefined}
            onChange={({ currentTarget }) => change({ typed: currentTarget.value })}
          />
          <NativeSelect
            label={t('planner.newPatient.gender')}
            value={gender}
            onChange={({ currentTarget }) => change({ chosen: GENDERS.find((each) => each === currentTarget.value) })}
            data={GENDERS.map((each) => ({ value: each, label: t(`planner.patient.gender.${each}`) }))}
          />
        </div>
        <p className="quiet">{number !== undefined && t('planner.newPatient.born', { day: number.birthDate })}</p>
        {make.error !== null && <ErrorCard error={make.error} />}
        <p className="actions">
          <Button
            type="submit"
            disabled={given.trim() === '' || family.trim() === '' || number === undefined}
            loading={make.isPending}
          >
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

/** Makes the record, or finds the one that there is, and leads to it. */
function useMake(onMade: () => void) {
  const navigate = useNavigate();
  const key = useRequestKey('patient');
  return useMutation({
    mutationFn: async ({ given, family, number, gender }: NewPatient) => {
      const known = await recordWith(number.text);
      if (known !== undefined) return known;
      const patient: Patient = {
        resourceType: 'Patient',
        identifier: [
          { system: `${SYSTEM}${number.isCoordination ? 'samordningsnummer' : 'personnummer'}`, value: number.text },
        ],
        name: [{ family, given: given.split(/\s+/) }],
        gender,
        birthDate: number.birthDate,
      };
      return (await postJson<Patient>('/dispatch/api/v1/Patient', patient, key.of(patient))).id;
    },
    onSettled: (_, error) => key.settled(error),
    onSuccess: (id) => {
      onMade();
      return navigate({ to: `/plan/patients/${id}` });
    },
  });
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
