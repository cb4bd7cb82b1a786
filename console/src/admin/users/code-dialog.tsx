// Issues a code by which a user chooses a new password. It is shown once.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { momentText } from '../../i18n/format.ts';
import { Dialog } from '../../shell/dialog.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { nameOf } from '../person.ts';
import { useAct } from '../use-act.ts';
import { ofUser, type User } from './queries.ts';

interface CodeDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

export function CodeDialog({ user, onClose }: CodeDialogProps) {
  const { t } = useTranslation();
  const issue = useAct(
    () => read(identity.POST('/api/admin/users/{user_guid}/password-reset', ofUser(user.user_guid))),
    {
      changes: ['user'],
    },
  );
  if (issue.data !== undefined) {
    return (
      <Dialog title={t('admin.act.code.made')}>
        <p className="big-code">
          <code>{issue.data.code}</code>
        </p>
        <p>{t('admin.act.code.handOver', { until: momentText(issue.data.expires_at) })}</p>
        <p className="actions">
          <Button onClick={onClose}>{t('admin.act.code.kept')}</Button>
        </p>
      </Dialog>
    );
  }
  return (
    <ActDialog
      title={t('admin.act.code.title', { name: nameOf(user) })}
      confirm={t('admin.act.code.now')}
      act={issue}
      onClose={onClose}
    >
      <p>{t('admin.act.code.effect')}</p>
    </ActDialog>
  );
}
