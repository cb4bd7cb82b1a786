// Replaces the secret. The new one is shown once. Where the former one ends at once, a typed word confirms it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../api/clients.ts';
import { useRequestKey } from '../../app/request-key.ts';
import { momentText } from '../../i18n/format.ts';
import { ActDialog } from '../../shared/act-dialog.tsx';
import { type GraceHours, GraceSelect } from '../../shared/fields/grace-select.tsx';
import { ShownOnce } from '../../shared/shown-once.tsx';
import { ErrorCard } from '../../shell/error-card.tsx';
import { atProvider } from './queries.ts';

interface SecretDialogProps {
  readonly guid: string;
  readonly onClose: () => void;
}

export function SecretDialog({ guid, onClose }: SecretDialogProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [overlap, setOverlap] = useState<GraceHours>('24');
  const key = useRequestKey(`secret-${guid}`);
  const rotate = useMutation({
    mutationFn: () =>
      read(
        dispatch.POST('/api/v1/providers/{provider_guid}/endpoint/rotate-secret', {
          ...atProvider(guid),
          headers: { 'idempotency-key': key.of(overlap) },
          body: { grace_hours: Number(overlap) },
        }),
      ),
    onSettled: (_, error) => key.settled(error),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['endpoint', guid] }),
  });
  const word = t('caregiver.secret.word');
  if (rotate.data !== undefined) {
    const { secret, previous_secret_valid_until: until } = rotate.data;
    return (
      <ShownOnce
        title={t('caregiver.secret.new')}
        lead={t('caregiver.secret.once')}
        text={secret}
        label={t('caregiver.secret.label')}
        kept={t('caregiver.secret.kept')}
        onKept={onClose}
      >
        {until !== null && <p>{t('caregiver.system.overlap', { until: momentText(until) })}</p>}
      </ShownOnce>
    );
  }
  return (
    <ActDialog
      title={t('caregiver.system.rotate')}
      confirm={t('caregiver.secret.replace')}
      cancel={t('caregiver.cancel')}
      act={rotate}
      onClose={onClose}
      word={overlap === '0' ? { text: word, label: t('caregiver.secret.typeWord', { word }) } : undefined}
      failure={rotate.error !== null && <ErrorCard error={rotate.error} />}
    >
      <p>{t('caregiver.secret.lead')}</p>
      <GraceSelect
        label={t('caregiver.secret.overlap')}
        value={overlap}
        textOf={(hours) => t(`caregiver.secret.hours.${hours}`)}
        onChange={setOverlap}
      />
    </ActDialog>
  );
}
