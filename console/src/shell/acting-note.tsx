// Says on every screen for whom one acts, with the way back to one's own; and that the right has ended, once it has.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Patient } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { type ActingFor, actFor, actingFor } from '../api/acting.ts';
import { searchFhir } from '../api/fhir.ts';
import { nameOf } from '../clinical/patient-name.ts';
import { Dialog } from './dialog.tsx';
import { useMe } from './me.ts';

export function ActingNote() {
  const { t } = useTranslation();
  const { data: me } = useMe();
  const acting = actingFor();
  if (acting === undefined) return null;
  const { name, patientGuid } = acting;
  const grants = me !== undefined && 'proxy_for' in me ? me.proxy_for : undefined;
  const isOver = me !== undefined && grants?.some((grant) => grant.patient_guid === patientGuid) !== true;
  if (isOver)
    return (
      <Dialog title={t('shell.actingEndedTitle')}>
        <p>{t('shell.actingEnded', { name })}</p>
        <p className="actions">
          <Button onClick={() => actFor(undefined)}>{t('shell.ownAgain')}</Button>
        </p>
      </Dialog>
    );
  return (
    <aside className="note" aria-label={t('shell.acting')}>
      <p>
        <Whom acting={acting} />
      </p>
      <button type="button" className="plain-button" onClick={() => actFor(undefined)}>
        {t('shell.ownAgain')}
      </button>
    </aside>
  );
}

/** By the name in the patient's record. An account may have none, and is then called by its address. */
function Whom({ acting: { patientGuid, name } }: { readonly acting: ActingFor }) {
  const { t } = useTranslation();
  const records = useQuery({
    queryKey: ['acting-name', patientGuid],
    queryFn: () => searchFhir<Patient>('dispatch', 'Patient', { _count: '1' }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: name.includes('@'),
    retry: false,
  });
  const known = records.data?.map(nameOf).find((each) => each !== '');
  return t('shell.actingFor', { name: known === undefined ? name : `${known} (${name})` });
}
