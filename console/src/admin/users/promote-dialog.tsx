// Makes a professional an administrator, by the administrator's own password.
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { ActDialog } from '../act-dialog.tsx';
import { nameOf } from '../person.ts';
import { useAct } from '../use-act.ts';
import type { User } from './queries.ts';

interface PromoteDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

export function PromoteDialog({ user, onClose }: PromoteDialogProps) {
  const { t } = useTranslation();
  const [password, setPassword] = useState('');
  const body = { user_guid: user.user_guid, password };
  const promote = useAct<unknown>(() => read(identity.POST('/api/admin/promote-su', { body })), {
    changes: ['user', 'users'],
    onDone: onClose,
  });
  return (
    <ActDialog
      title={t('admin.act.promote.title', { name: nameOf(user) })}
      confirm={t('admin.act.promote.now')}
      act={promote}
      onClose={onClose}
      isReady={password !== ''}
    >
      <p>{t('admin.act.promote.effect')}</p>
      <TextInput
        type="password"
        label={t('admin.act.promote.password')}
        autoComplete="current-password"
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
      />
    </ActDialog>
  );
}
