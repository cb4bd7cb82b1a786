// Acts that need nothing but a yes.
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { ActDialog } from '../act-dialog.tsx';
import { nameOf } from '../person.ts';
import { useAct } from '../use-act.ts';
import { ofUser, type User } from './queries.ts';

interface SimpleDialogProps {
  readonly user: User;
  readonly act: keyof typeof SENDS;
  readonly onClose: () => void;
}

const SENDS = {
  block: (guid: string) => read(identity.POST('/api/admin/users/{user_guid}/block', ofUser(guid))),
  unblock: (guid: string) => read(identity.POST('/api/admin/users/{user_guid}/unblock', ofUser(guid))),
  sessions: (guid: string) => read(identity.DELETE('/api/admin/users/{user_guid}/sessions', ofUser(guid))),
  secondFactor: (guid: string) => read(identity.DELETE('/api/admin/users/{user_guid}/second-factor', ofUser(guid))),
  unmerge: (guid: string) => read(identity.DELETE('/api/admin/users/{user_guid}/merge', ofUser(guid))),
} as const;

export function SimpleDialog({ user, act, onClose }: SimpleDialogProps) {
  const { t } = useTranslation();
  const run = useAct<unknown>(() => SENDS[act](user.user_guid), { changes: ['user', 'users'], onDone: onClose });
  const name = nameOf(user);
  return (
    <ActDialog
      title={t(`admin.act.${act}.title`, { name })}
      confirm={t(`admin.act.${act}.now`)}
      act={run}
      onClose={onClose}
    >
      <p>{t(`admin.act.${act}.effect`)}</p>
    </ActDialog>
  );
}
