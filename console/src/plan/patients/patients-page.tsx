// Finds a patient by name, personal number or birth date. A number is neither kept nor put into the address, and the
// look-up is on record.
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Patient } from 'fhir/r5';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { searchFhir } from '../../api/fhir.ts';
import { Problem } from '../../api/problem.ts';
import { searchValue } from '../../api/search-value.ts';
import { nameOf } from '../../clinical/patient-name.ts';
import { Cards } from '../../shared/cards.tsx';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { usePatientNames, useWorklist } from '../queries.ts';
import { useRights } from '../rights.ts';
import { useBeginWithNumber } from './new-patient-form.ts';
import { ageOf, soughtIn } from './patient.ts';

const MOST = 50;
const MOST_RECENT = 8;

export function PatientsPage() {
  const { t } = useTranslation();
  const { q = '' } = useSearch({ strict: false }) as { q?: unknown };
  const given = String(q);
  const navigate = useNavigate();
  const [typed, setTyped] = useState(given);
  useEffect(() => setTyped(given), [given]);
  const lookUp = useLookUp();
  const rights = useRights();
  const beginWithNumber = useBeginWithNumber();
  const [isNumberRefused, refuseNumber] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    lookUp.reset();
    const sought = soughtIn(typed);
    const isNumber = sought?.kind === 'number';
    refuseNumber(isNumber && !rights.mayLookUp);
    if (isNumber) return rights.mayLookUp ? lookUp.mutate(sought.number) : undefined;
    return void navigate({ to: '/plan/patients', search: sought === undefined ? {} : { q: typed.trim() } });
  };
  /** Nobody types twelve digits twice. */
  const carryNumber = () => {
    const sought = soughtIn(typed);
    if (sought?.kind === 'number') beginWithNumber(sought.number);
  };
  return (
    <Page title={t('planner.patients.title')}>
      <search>
        <form onSubmit={submit}>
          <TextInput
            type="search"
            label={t(rights.mayLookUp ? 'planner.patients.sought' : 'planner.patients.soughtByName')}
            description={t(rights.mayLookUp ? 'planner.patients.hint' : 'planner.patients.hintByName')}
            value={typed}
            autoComplete="off"
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <p className="actions">
            <Button type="submit" loading={lookUp.isPending}>
              {t('planner.patients.search')}
            </Button>
            {rights.mayPlan && (
              <Link to="/plan/patients/new" className="plain-button" onClick={carryNumber}>
                {t('planner.newPatient.title')}
              </Link>
            )}
          </p>
        </form>
      </search>
      {isNumberRefused && <Empty>{t('planner.patients.noLookUp')}</Empty>}
      <NumberOutcome lookUp={lookUp} />
      {/* What an earlier search found is not what the number led to. */}
      {given === '' || !lookUp.isIdle ? <Recent isMine={rights.mayPlan} /> : <Found text={given} />}
    </Page>
  );
}

/** Leads to the only record with the number. */
function useLookUp() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (personnummer: string) => read(identity.POST('/api/patients/lookup', { body: { personnummer } })),
    onSuccess: async ({ records }) => {
      const [record] = records.filter(({ service }) => service === 'dispatch');
      if (record !== undefined) await navigate({ to: `/plan/patients/${record.id}` });
    },
  });
}

function NumberOutcome({ lookUp }: { readonly lookUp: ReturnType<typeof useLookUp> }) {
  const { t } = useTranslation();
  const { error, data } = lookUp;
  if (error instanceof Problem && error.status === 404) return <Empty>{t('planner.patients.noNumber')}</Empty>;
  if (error instanceof Problem && error.status === 400) return <Empty>{t('planner.patients.wrongNumber')}</Empty>;
  if (error !== null) return <ErrorCard error={error} />;
  const isElsewhere = data !== undefined && !data.records.some(({ service }) => service === 'dispatch');
  return isElsewhere ? <Empty>{t('planner.patients.noRecord')}</Empty> : null;
}

function Found({ text }: { readonly text: string }) {
  const { t } = useTranslation();
  const sought = soughtIn(text);
  const found = useQuery({
    queryKey: ['patients', text],
    queryFn: () => {
      const by = sought?.kind === 'birthDate' ? { birthdate: sought.date } : { name: searchValue(text) };
      return searchFhir<Patient>('dispatch', 'Patient', { ...by, _sort: 'family', _count: String(MOST) });
    },
  });
  return (
    <>
      <h2>{t('planner.patients.found', { text })}</h2>
      <Loaded query={found}>
        {(patients) => {
          if (patients.length === 0) return <Empty>{t('planner.patients.none')}</Empty>;
          return (
            <>
              <PatientList patients={patients} />
              {patients.length === MOST && <p className="quiet">{t('planner.patients.more', { count: MOST })}</p>}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function PatientList({ patients }: { readonly patients: readonly Patient[] }) {
  const { t } = useTranslation();
  return (
    <ul className="cards">
      {patients.map((patient) => {
        const age = ageOf(patient, new Date());
        return (
          <li key={patient.id} className="card row">
            <Link to={`/plan/patients/${patient.id}`}>{nameOf(patient) || t('planner.somePatient')}</Link>
            <span className="quiet">
              {patient.birthDate}
              {age !== undefined && `, ${t('planner.patient.age', { count: age })}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** The patients of the latest requests, one's own or all; nothing about them is kept in the browser. */
function Recent({ isMine }: { readonly isMine: boolean }) {
  const { t } = useTranslation();
  const work = useWorklist({ ...(isMine ? { mine: true } : {}), per_page: 50 });
  const references = [...new Set(work.data?.data.map(({ patient }) => patient.reference))].slice(0, MOST_RECENT);
  const nameBy = usePatientNames(references);
  return (
    <>
      <h2>{t(isMine ? 'planner.patients.recent' : 'planner.patients.recentOfAll')}</h2>
      <Loaded query={work}>
        {() => (
          <Cards items={references} none={t(isMine ? 'planner.patients.noRecent' : 'planner.patients.noneOfAll')}>
            {(reference) => (
              <li key={reference} className="card">
                <Link to={`/plan/patients/${reference.replace('Patient/', '')}`}>{nameBy(reference)}</Link>
              </li>
            )}
          </Cards>
        )}
      </Loaded>
    </>
  );
}
