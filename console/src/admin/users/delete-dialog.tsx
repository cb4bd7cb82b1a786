// Deletes a user: what it touches, and the typed address.
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { nameOf } from '../person.ts';
import { useAct } from '../use-act.ts';
import { ofUser, type User, useDeletion } from './queries.ts';

interface DeleteDialogProps {
  readonly user: User;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

const COUNTS = [
  ...(['sessions', 'memberships', 'open_requests', 'merged_accounts', 'proxies'] as const),
  ...(['linked_records', 'decisions'] as const),
] as const;

export function DeleteDialog({ user, onClose, onDeleted }: DeleteDialogProps) {
  const { t } = useTranslation();
  const word = user.email ?? nameOf(user);
  const deletion = useDeletion(user.user_guid);
  const remove = useAct<unknown>(() => read(identity.DELETE('/api/admin/users/{user_guid}', ofUser(user.user_guid))), {
    changes: ['users'],
    onDone: onDeleted,
  });
  return (
    <ActDialog
      title={t('admin.act.delete.title', { name: nameOf(user) })}
      confirm={t('admin.act.delete.now')}
      act={remove}
      onClose={onClose}
      word={{ text: word, label: t('admin.act.delete.type', { email: word }) }}
      isReady={deletion.isSuccess}
    >
      <p>{t('admin.act.delete.effect')}</p>
      <Loaded query={deletion}>
        {(touched) => (
          <ul>
            {COUNTS.filter((name) => touched[name] > 0).map((name) => (
              <li key={name}>{t(`admin.touched.${name}`, { count: touched[name] })}</li>
            ))}
            {touched.led_groups.length > 0 && (
              <li>{t('admin.touched.led_groups', { groups: touched.led_groups.join(', ') })}</li>
            )}
            {COUNTS.every((name) => touched[name] === 0) && touched.led_groups.length === 0 && (
              <li>{t('admin.touched.nothing')}</li>
            )}
          </ul>
        )}
      </Loaded>
    </ActDialog>
  );
}
