// Says on every screen for whom one acts, with the way back to one's own; and that the right has ended, once it has.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { actFor, actingFor } from '../api/acting.ts';
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
      <p>{t('shell.actingFor', { name })}</p>
      <button type="button" className="plain-button" onClick={() => actFor(undefined)}>
        {t('shell.ownAgain')}
      </button>
    </aside>
  );
}
