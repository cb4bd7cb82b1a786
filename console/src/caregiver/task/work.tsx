// What may be done with an accepted task: begin, report, take it over from a colleague, give it back.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { useMe } from '../../shell/me.ts';
import { atTask, type Task, useRefresh } from '../queries.ts';
import { hasDraft } from '../report/draft.ts';
import { ReasonDialog } from './reason-dialog.tsx';

export function Work({ task }: { readonly task: Task }) {
  const { t } = useTranslation();
  const { request_guid: guid, status, responsible } = task;
  const refresh = useRefresh(guid);
  const { data: me } = useMe();
  const [isGivingBack, setGivingBack] = useState(false);
  const begin = useMutation({
    mutationFn: () =>
      read(
        engine.POST('/api/v1/provider-tasks/{receipt_token}/report', { ...atTask(guid), body: { status: 'partial' } }),
      ),
    onSettled: refresh,
  });
  const takeOver = useMutation({
    mutationFn: () => read(engine.POST('/api/v1/provider-tasks/{receipt_token}/take-over', atTask(guid))),
    onSettled: refresh,
  });
  const isOthers =
    responsible !== undefined && me !== undefined && 'user_guid' in me && responsible.user_guid !== me.user_guid;
  const error = begin.error ?? takeOver.error;
  return (
    <section className="note" aria-label={t('caregiver.task.next')}>
      <p>{t(`caregiver.task.now.${status === 'accepted' ? 'accepted' : 'in_progress'}`)}</p>
      {isOthers && <p>{t('caregiver.task.others', { name: responsible.name ?? t('caregiver.colleague') })}</p>}
      {error !== null && <ErrorCard error={error} />}
      <p className="actions">
        <Button component={Link} to={`/care/tasks/${guid}/report`}>
          {t(hasDraft(guid) ? 'caregiver.task.goOn' : 'caregiver.task.report')}
        </Button>
        {status === 'accepted' && (
          <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
            {t('caregiver.task.begin')}
          </Button>
        )}
        {isOthers && (
          <Button variant="default" loading={takeOver.isPending} onClick={() => takeOver.mutate()}>
            {t('caregiver.task.takeOver')}
          </Button>
        )}
        <Button variant="default" onClick={() => setGivingBack(true)}>
          {t('caregiver.task.giveBack')}
        </Button>
      </p>
      {isGivingBack && (
        <ReasonDialog
          guid={guid}
          title={t('caregiver.task.giveBackTitle')}
          lead={t('caregiver.task.giveBackLead')}
          submit={t('caregiver.task.giveBack')}
          word={t('caregiver.task.giveBackWord')}
          onClose={() => setGivingBack(false)}
        />
      )}
    </section>
  );
}
