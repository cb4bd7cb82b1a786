// Whether a draft is ready: what is there, what is missing, and what is not needed but worth a thought. Then it is
// finalized, which freezes it.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ServiceRequest } from 'fhir/r5';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { postJson } from '../../../api/fhir.ts';
import { ErrorCard } from '../../../shell/error-card.tsx';
import { ConfirmDialog } from '../../confirm-dialog.tsx';
import { usePatientConsents } from '../../patients/consents.tsx';
import type { SnapshotPlan } from '../plan-definition.ts';
import { useAttachedForms, useRefresh } from '../request-queries.ts';
import { isUnsaved } from './unsaved.ts';

interface ReadyListProps {
  readonly id: string;
  readonly request: ServiceRequest;
  readonly plan: SnapshotPlan;
  readonly isRead: boolean;
}

interface Check {
  readonly name: 'patient' | 'plan' | 'codes' | 'forms' | 'consent';
  readonly isMet: boolean;
  readonly isNeeded: boolean;
}

export function ReadyList({ id, request, plan, isRead }: ReadyListProps) {
  const { t } = useTranslation();
  const refresh = useRefresh(id);
  const [isAsking, setAsking] = useState(false);
  const [isStopped, setStopped] = useState(false);
  const patientId = request.subject.reference?.replace('Patient/', '') ?? '';
  const forms = useAttachedForms(id);
  const consents = usePatientConsents(patientId);
  const finalize = useMutation({
    mutationFn: () => postJson(`/dispatch/api/v1/ServiceRequest/${id}/finalize`, {}),
    onSuccess: async () => {
      setAsking(false);
      await refresh();
    },
  });
  const permits = consents.data?.some(({ status, decision }) => status === 'active' && decision === 'permit') ?? false;
  const checks: readonly Check[] = [
    { name: 'patient', isMet: patientId !== '', isNeeded: true },
    { name: 'plan', isMet: plan.activities.length > 0, isNeeded: true },
    { name: 'codes', isMet: plan.hasCode, isNeeded: true },
    { name: 'forms', isMet: (forms.data?.total ?? 0) > 0, isNeeded: false },
    { name: 'consent', isMet: permits, isNeeded: false },
  ];
  const isReady = isRead && checks.every(({ isMet, isNeeded }) => isMet || !isNeeded);
  /** What is typed beside it would not be in what is frozen. */
  const ask = () => {
    const isLeft = isUnsaved(id);
    setStopped(isLeft);
    setAsking(!isLeft);
  };
  return (
    <>
      <h3>{t('planner.ready.title')}</h3>
      <ul className="checks">
        {checks.map(({ name, isMet, isNeeded }) => {
          const state = isMet ? 'met' : isNeeded ? 'missing' : 'advice';
          return (
            <li key={name} data-state={state}>
              <span className="visually-hidden">{t(`planner.ready.state.${state}`)}</span>
              {isMet ? t(`planner.ready.met.${name}`) : <Missing name={name} patientId={patientId} />}
            </li>
          );
        })}
      </ul>
      {isStopped && isUnsaved(id) && (
        <div className="alert" role="alert">
          <p>
            {t('planner.ready.unsaved')} <a href="#draft-texts">{t('planner.ready.toUnsaved')}</a>
          </p>
        </div>
      )}
      <p className="actions">
        <Button disabled={!isReady} onClick={ask}>
          {t('planner.ready.finalize')}
        </Button>
      </p>
      {isAsking && (
        <ConfirmDialog
          title={t('planner.ready.sure')}
          effect={t('planner.ready.effect')}
          confirm={t('planner.ready.finalizeNow')}
          act={finalize}
          onClose={() => setAsking(false)}
        >
          {finalize.error !== null && <ErrorCard error={finalize.error} />}
        </ConfirmDialog>
      )}
    </>
  );
}

/** What is missing, with the way to where it is added. */
function Missing({ name, patientId }: { readonly name: Check['name']; readonly patientId: string }) {
  const { t } = useTranslation();
  const text = t(`planner.ready.missing.${name}`);
  if (name === 'patient') return text;
  if (name === 'consent') return <Link to={`/plan/patients/${patientId}/consents`}>{text}</Link>;
  return <a href={name === 'forms' ? '#forms' : '#what'}>{text}</a>;
}
