// Accepts or declines a task that was received.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { Problem } from '../../api/problem.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { atTask, useRefresh } from '../queries.ts';
import { ReasonDialog } from './reason-dialog.tsx';

export function Decision({ guid }: { readonly guid: string }) {
  const { t } = useTranslation();
  const refresh = useRefresh(guid);
  const [isDeclining, setDeclining] = useState(false);
  const accept = useMutation({
    mutationFn: () =>
      read(engine.POST('/api/v1/provider-tasks/{receipt_token}/accept', { ...atTask(guid), body: null })),
    // Also after a refusal: another provider may have it by now.
    onSettled: refresh,
  });
  const isLost = accept.error instanceof Problem && accept.error.code === 'already_taken';
  return (
    <section className="note" aria-label={t('caregiver.task.next')}>
      <p>{t('caregiver.task.decide')}</p>
      {isLost && <p role="alert">{t('caregiver.task.taken')}</p>}
      {accept.error !== null && !isLost && <ErrorCard error={accept.error} onRetry={() => accept.mutate()} />}
      <p className="actions">
        <Button loading={accept.isPending} onClick={() => accept.mutate()}>
          {t('caregiver.task.accept')}
        </Button>
        <Button variant="default" onClick={() => setDeclining(true)}>
          {t('caregiver.task.decline')}
        </Button>
      </p>
      {isDeclining && (
        <ReasonDialog
          guid={guid}
          title={t('caregiver.task.declineTitle')}
          lead={t('caregiver.task.declineLead')}
          submit={t('caregiver.task.decline')}
          onClose={() => setDeclining(false)}
        />
      )}
    </section>
  );
}
