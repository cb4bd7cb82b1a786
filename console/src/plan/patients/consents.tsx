// The patient's consents to the sending of their data: what is in force, and what staff record or end.
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Consent } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { postJson, putJson, searchFhir } from '../../api/fhir.ts';
import { useRequestKey } from '../../app/request-key.ts';
import { useKept } from '../../app/use-kept.ts';
import { type ConsentPhase, phaseOf, swedishDay } from '../../clinical/consent-phase.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { TwoLists } from '../../shell/two-lists.tsx';
import { useRights } from '../rights.ts';

export function usePatientConsents(patientId: string) {
  return useQuery({
    queryKey: ['patient-consents', patientId],
    queryFn: () =>
      searchFhir<Consent>('dispatch', 'Consent', { patient_guid: patientId, _sort: '-_lastUpdated', _count: '100' }),
  });
}

export function Consents({ patientId }: { readonly patientId: string }) {
  const { t } = useTranslation();
  return (
    <>
      <p>{t('planner.consents.lead')}</p>
      <Loaded query={usePatientConsents(patientId)}>
        {(consents) => (
          <TwoLists
            entries={consents}
            isFirst={(consent) => phaseOfConsent(consent) === 'now'}
            first={{ title: t('planner.consents.active'), empty: t('planner.consents.none') }}
            later={{ title: t('consents.later'), isLater: (consent) => phaseOfConsent(consent) === 'later' }}
            othersTitle={t('planner.consents.ended')}
          >
            {(shown) => (
              <ul className="cards">
                {shown.map((consent) => (
                  <ConsentCard key={consent.id} consent={consent} patientId={patientId} />
                ))}
              </ul>
            )}
          </TwoLists>
        )}
      </Loaded>
      {useRights().mayPlan && <NewConsent patientId={patientId} />}
    </>
  );
}

function phaseOfConsent({ status, period }: Consent): ConsentPhase {
  return phaseOf({ isActive: status === 'active', from: period?.start, to: period?.end }, new Date());
}

/** Decisions of the patient carry a tag (docs/reference/own-consents.md), and staff do not end them. */
function isPatients({ meta, controller = [], grantor = [] }: Consent): boolean {
  const people = [...controller, ...grantor].map(({ reference }) => reference ?? '');
  return (
    (meta?.tag?.some(({ code }) => code === 'patient-decided') ?? false) ||
    people.some((reference) => reference.startsWith('Patient/'))
  );
}

function ConsentCard({ consent, patientId }: { readonly consent: Consent; readonly patientId: string }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () =>
      putJson(`/dispatch/api/v1/Consent/${consent.id}`, { ...consent, status: 'inactive' }, consent.meta?.versionId),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['patient-consents', patientId] }),
  });
  const { mayPlan } = useRights();
  const { decision, period, provision = [] } = consent;
  const isOwn = isPatients(consent);
  return (
    <li className="card">
      <strong>{t(decision === 'deny' ? 'planner.consents.deny' : 'planner.consents.permit')}</strong>
      {provision.length > 0 && <p>{t('planner.consents.exceptions')}</p>}
      {period?.start !== undefined && <p>{t('planner.consents.from', { day: period.start.slice(0, 10) })}</p>}
      {period?.end !== undefined && <p>{t('planner.consents.to', { day: period.end.slice(0, 10) })}</p>}
      <p className="quiet">{t(isOwn ? 'planner.consents.byPatient' : 'planner.consents.byStaff')}</p>
      {end.error !== null && <ErrorCard error={end.error} />}
      {mayPlan && phaseOfConsent(consent) !== 'over' && !isOwn && (
        <p className="actions">
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
            {t('planner.consents.end')}
          </Button>
        </p>
      )}
    </li>
  );
}

function NewConsent({ patientId }: { readonly patientId: string }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const key = useRequestKey(`consent-${patientId}`);
  const [until, setUntil, drop] = useKept(`consent-until-${patientId}`, '');
  const isPast = until !== '' && until < swedishDay(new Date());
  const record = useMutation({
    mutationFn: () => {
      const consent = {
        resourceType: 'Consent',
        status: 'active',
        subject: { reference: `Patient/${patientId}` },
        date: swedishDay(new Date()),
        decision: 'permit',
        ...(until === '' ? {} : { period: { end: until } }),
      };
      return postJson('/dispatch/api/v1/Consent', consent, key.of(consent));
    },
    onSettled: (_, error) => key.settled(error),
    onSuccess: () => {
      drop();
      return queries.invalidateQueries({ queryKey: ['patient-consents', patientId] });
    },
  });
  return (
    <section className="card" aria-labelledby="new-consent">
      <h2 id="new-consent">{t('planner.consents.new')}</h2>
      <p>{t('planner.consents.effect')}</p>
      <TextInput
        type="date"
        label={t('planner.consents.until')}
        value={until}
        error={isPast ? t('consents.pastIssue') : undefined}
        onChange={({ currentTarget }) => setUntil(currentTarget.value)}
      />
      {record.error !== null && <ErrorCard error={record.error} />}
      <p className="actions">
        <Button loading={record.isPending} disabled={isPast} onClick={() => record.mutate()}>
          {t('planner.consents.record')}
        </Button>
      </p>
    </section>
  );
}
