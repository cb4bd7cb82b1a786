// Merges the account of a person who has two into the other one: which, and what it does.
import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { ActDialog } from '../act-dialog.tsx';
import { nameOf } from '../person.ts';
import { ProblemCard } from '../problem-card.tsx';
import { useAct } from '../use-act.ts';
import { ofUser, type User, useMergePreview, useUsers } from './queries.ts';

interface MergeDialogProps {
  readonly user: User;
  readonly onClose: () => void;
  readonly onMerged: (into: string) => void;
}

const MOST = 20;

export function MergeDialog({ user, onClose, onMerged }: MergeDialogProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useState(user.last_name ?? '');
  const [into, setInto] = useState<string>();
  const found = useUsers({ search, user_type: user.user_type, state: 'active' }, MOST);
  const others = (found.data?.data ?? []).filter(({ user_guid: guid }) => guid !== user.user_guid);
  const preview = useMergePreview(user.user_guid, into);
  const body = { into_user_guid: into ?? '' };
  const merge = useAct<unknown>(
    () => read(identity.POST('/api/admin/users/{user_guid}/merge', { ...ofUser(user.user_guid), body })),
    {
      changes: ['user', 'users'],
      onDone: () => {
        onClose();
        onMerged(body.into_user_guid);
      },
    },
  );
  return (
    <ActDialog
      title={t('admin.act.merge.title', { name: nameOf(user) })}
      confirm={t('admin.act.merge.now')}
      act={merge}
      onClose={onClose}
      isReady={preview.isSuccess}
    >
      <p>{t('admin.act.merge.effect')}</p>
      <TextInput
        type="search"
        label={t('admin.users.search')}
        value={search}
        autoComplete="off"
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <NativeSelect
        mt="md"
        label={t('admin.act.merge.into')}
        value={into ?? ''}
        onChange={({ currentTarget }) => setInto(currentTarget.value === '' ? undefined : currentTarget.value)}
        data={[
          { value: '', label: t('admin.choose') },
          ...others.map((each) => ({ value: each.user_guid, label: labelOf(each) })),
        ]}
      />
      {preview.error !== null && <ProblemCard error={preview.error} />}
      {preview.data !== undefined && (
        <div className="note">
          <p>{t('admin.act.merge.does', { email: preview.data.email })}</p>
          <ul>
            <li>{t('admin.act.merge.sessions', { count: preview.data.sessions })}</li>
            {preview.data.organisations.length > 0 && (
              <li>{t('admin.act.merge.organisations', { count: preview.data.organisations.length })}</li>
            )}
            {preview.data.groups.length > 0 && (
              <li>{t('admin.act.merge.groups', { count: preview.data.groups.length })}</li>
            )}
            {preview.data.rights_left.length > 0 && <li>{t('admin.act.merge.rights')}</li>}
          </ul>
        </div>
      )}
    </ActDialog>
  );
}

/** Who has given no name is known by the e-mail address. */
function labelOf(user: Parameters<typeof nameOf>[0] & { readonly email: string | null }): string {
  const name = nameOf(user);
  return user.email === null || name === user.email ? name : `${name} (${user.email})`;
}
