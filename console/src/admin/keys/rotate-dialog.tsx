// Replaces a key; the former one goes on working for as long as is chosen.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { type GraceHours, GraceSelect } from '../../shared/fields/grace-select.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { useAct } from '../use-act.ts';
import { type ApiKey, ofKey } from './queries.ts';

interface RotateDialogProps {
  readonly apiKey: ApiKey;
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}

export function RotateDialog({ apiKey, onSecret, onClose }: RotateDialogProps) {
  const { t } = useTranslation();
  const [hours, setHours] = useState<GraceHours>('24');
  const rotate = useAct(
    (wish: { grace_hours: number }, key: string) => {
      const headers = { 'idempotency-key': key };
      return read(
        engine.POST('/api/v1/api-keys/{key_guid}/rotate', { ...ofKey(apiKey.key_guid), headers, body: wish }),
      );
    },
    {
      name: `rotate-${apiKey.key_guid}`,
      changes: ['api-keys'],
      onDone: ({ key }) => {
        onClose();
        onSecret(key);
      },
    },
  );
  return (
    <ActDialog
      title={t('admin.keys.rotateTitle', { name: apiKey.name })}
      confirm={t('admin.keys.rotateNow')}
      act={{ ...rotate, mutate: () => rotate.mutate({ grace_hours: Number(hours) }) }}
      onClose={onClose}
    >
      <GraceSelect
        label={t('admin.keys.grace')}
        value={hours}
        textOf={(each) => t(`admin.keys.hours.${each}`)}
        onChange={setHours}
      />
    </ActDialog>
  );
}
