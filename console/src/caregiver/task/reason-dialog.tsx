// Declines a task, or gives accepted work back, with the reason. Neither can be undone; what was begun asks for a typed
// word, too.
import { Button, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { useKept } from '../../app/use-kept.ts';
import { Dialog } from '../../shell/dialog.tsx';
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
  const [typed, setTyped] = useState('');
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
  const isReady = reason.trim() !== '' && (word === undefined || typed.trim().toLowerCase() === word.toLowerCase());
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) reject.mutate();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={send}>
        <p>{lead}</p>
        <Textarea
          label={t('caregiver.task.reason')}
          rows={3}
          maxLength={LONGEST}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        {word !== undefined && (
          <TextInput
            mt="md"
            label={t('caregiver.task.typeWord', { word })}
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
        {reject.error !== null && <ErrorCard error={reject.error} />}
        <p className="actions">
          <Button type="submit" disabled={!isReady} loading={reject.isPending}>
            {submit}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t('caregiver.cancel')}
          </Button>
        </p>
      </form>
    </Dialog>
  );
}
