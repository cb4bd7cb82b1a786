// A patient: who it is, and in tabs, each with an address, what is planned, asked for and reported.
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Patient } from 'fhir/r5';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getJson } from '../../api/fhir.ts';
import { FilteredAccessLog } from '../../clinical/filtered-log.tsx';
import { nameOf } from '../../clinical/patient-name.ts';
import { TabLinks } from '../../shared/tab-links.tsx';
import type { Access } from '../../shell/face.ts';
import { Loaded, LoadedScreen } from '../../shell/loaded.tsx';
import { Loading } from '../../shell/loading.tsx';
import { useMe } from '../../shell/me.ts';
import { Empty, Page } from '../../shell/page.tsx';
import { useWorklist } from '../queries.ts';
import { RequestList } from '../requests/request-list.tsx';
import { useRights } from '../rights.ts';
import { Answers } from './answers.tsx';
import { Consents } from './consents.tsx';
import { ageOf, maskedNumber, personnummerOf } from './patient.ts';
import { PatientNotes } from './patient-notes.tsx';
import { Plans } from './plans.tsx';
import { Values } from './values.tsx';

const ALL_TABS = ['overview', 'plans', 'requests', 'values', 'forms', 'consents', 'log'] as const;

/** Whose lists have no heading of their own. */
const HEADED = ['plans', 'requests', 'values', 'forms', 'log'] as const;

export function PatientPage() {
  const { t } = useTranslation();
  const { id = '', tab: named } = useParams({ strict: false }) as { id?: string; tab?: string };
  const { mayReadResults } = useRights();
  const tabs = ALL_TABS.filter((each) => mayReadResults || (each !== 'values' && each !== 'forms'));
  const tab = tabs.find((each) => each === named) ?? 'overview';
  const patient = useQuery({
    queryKey: ['patient', id],
    queryFn: async () => (await getJson(`/dispatch/api/v1/Patient/${encodeURIComponent(id)}`)) as Patient,
  });
  return (
    <LoadedScreen query={patient}>
      {(record) => (
        <Page title={nameOf(record) || t('planner.somePatient')}>
          <p className="quiet">
            <Age patient={record} />
          </p>
          <PatientNotes patient={record} />
          <TabLinks
            label={t('planner.patient.tabs')}
            tabs={tabs}
            root={`/plan/patients/${id}`}
            textOf={(each) => t(`planner.patient.tab.${each}`)}
          />
          {HEADED.some((each) => each === tab) && <h2>{t(`planner.patient.tab.${tab}`)}</h2>}
          {tab === 'overview' && <Overview patient={record} />}
          {tab === 'plans' && <Plans patientId={id} />}
          {tab === 'requests' && <Requests patientId={id} />}
          {tab === 'values' && <Values patientId={id} />}
          {tab === 'forms' && <Answers patientId={id} />}
          {tab === 'consents' && <Consents patientId={id} />}
          {tab === 'log' && <Log patientId={id} />}
        </Page>
      )}
    </LoadedScreen>
  );
}

function Age({ patient }: { readonly patient: Patient }) {
  const { t } = useTranslation();
  const age = ageOf(patient, new Date());
  const gender = (['female', 'male', 'other', 'unknown'] as const).find((each) => each === patient.gender);
  const parts = [
    patient.birthDate,
    age === undefined ? undefined : t('planner.patient.age', { count: age }),
    gender === undefined ? undefined : t(`planner.patient.gender.${gender}`),
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

function Overview({ patient }: { readonly patient: Patient }) {
  const { t } = useTranslation();
  const { telecom = [], address = [] } = patient;
  const contacts = telecom.flatMap(({ value }) => value ?? []);
  const [home] = address;
  const lines =
    home === undefined ? [] : [...(home.line ?? []), [home.postalCode, home.city].filter(Boolean).join(' ')];
  return (
    <>
      <div className="card">
        <dl className="facts">
          <PersonalNumber patient={patient} />
          {contacts.length > 0 && (
            <>
              <dt>{t('planner.patient.contact')}</dt>
              <dd>{contacts.join(', ')}</dd>
            </>
          )}
          {lines.some((line) => line !== '') && (
            <>
              <dt>{t('planner.patient.address')}</dt>
              <dd>{lines.filter((line) => line !== '').join(', ')}</dd>
            </>
          )}
        </dl>
      </div>
      <h2>{t('planner.patient.tab.requests')}</h2>
      <Requests patientId={patient.id ?? ''} />
    </>
  );
}

/** The whole number is shown when it is asked for, so that nobody reads it over a shoulder. */
function PersonalNumber({ patient }: { readonly patient: Patient }) {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  const number = personnummerOf(patient);
  return (
    <>
      <dt>{t('planner.patient.number')}</dt>
      <dd>
        {number === undefined ? t('planner.patient.noNumber') : isShown ? number : maskedNumber(number)}
        {number !== undefined && (
          <button type="button" className="plain-button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
            {t('planner.patient.showNumber')}
          </button>
        )}
      </dd>
    </>
  );
}

/** For those who may read it (decision L4); others are told who may, so that they can answer a patient's question. */
function Log({ patientId }: { readonly patientId: string }) {
  const { t } = useTranslation();
  const me: Access | undefined = useMe().data;
  if (me === undefined) return <Loading />;
  if (me.is_su_admin !== true && me.is_privacy_officer !== true)
    return <Empty>{t('planner.patient.logOfOthers')}</Empty>;
  return <FilteredAccessLog patient={patientId} none={t('planner.patient.noLog')} />;
}

function Requests({ patientId }: { readonly patientId: string }) {
  const { t } = useTranslation();
  return (
    <Loaded query={useWorklist({ patient_guid: patientId, per_page: 100 })}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty>
            {t('planner.patient.noRequests')}{' '}
            <Link to={`/plan/patients/${patientId}/plans`}>{t('planner.patient.toPlans')}</Link>
          </Empty>
        ) : (
          <>
            <RequestList items={data} isOfOne />
            <p>
              <Link to={`/plan/patients/${patientId}/plans`}>{t('planner.patient.newRequest')}</Link>
            </p>
          </>
        )
      }
    </Loaded>
  );
}
