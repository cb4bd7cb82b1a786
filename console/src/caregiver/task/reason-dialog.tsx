// Declines a task, or gives accepted work back, with the reason. Neither can be undone; what was begun asks for a typed
// word, too.
import { Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { useKept } from '../../app/use-kept.ts';
import { ActDialog } from '../../shared/act-dialog.tsx';
import { ErrorCard } from '../../shell/error-card.tsx';
import { atTask, useRefresh } from '../queries.ts';

interface ReasonDialogProps {
  readonly guid: string;
  readonly title: string;
  readonly lead: string;
  readonly submit: string;
  /** What has to be typed before it is done. */
  readonly word?: string;
  readonly onClose: () => void;
}

const LONGEST = 2000;

export function ReasonDialog({ guid, title, lead, submit, word, onClose }: ReasonDialogProps) {
  const { t } = useTranslation();
  const refresh = useRefresh(guid);
  const [reason, setReason, drop] = useKept(`reason-${guid}`, '');
  const reject = useMutation({
    mutationFn: () =>
      read(
        engine.POST('/api/v1/provider-tasks/{receipt_token}/reject', {
          ...atTask(guid),
          body: { reason: reason.trim() },
        }),
      ),
    onSuccess: async () => {
      drop();
      onClose();
      await refresh();
    },
  });
  return (
    <ActDialog
      title={title}
      confirm={submit}
      cancel={t('caregiver.cancel')}
      act={reject}
      onClose={onClose}
      word={word === undefined ? undefined : { text: word, label: t('caregiver.task.typeWord', { word }) }}
      isReady={reason.trim() !== ''}
      failure={reject.error !== null && <ErrorCard error={reject.error} />}
    >
      <p>{lead}</p>
      <Textarea
        label={t('caregiver.task.reason')}
        rows={3}
        maxLength={LONGEST}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </ActDialog>
  );
}
