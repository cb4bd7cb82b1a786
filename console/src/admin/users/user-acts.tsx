// What an administrator does with one user, each asked before it is done.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChangeDialog } from './change-dialog.tsx';
import { CodeDialog } from './code-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { MergeDialog } from './merge-dialog.tsx';
import { PromoteDialog } from './promote-dialog.tsx';
import type { User } from './queries.ts';
import { SimpleDialog } from './simple-dialog.tsx';

interface UserActsProps {
  readonly user: User;
  readonly onClose: () => void;
  readonly onOther: (guid: string) => void;
}

type Act =
  | 'change'
  | 'block'
  | 'unblock'
  | 'sessions'
  | 'code'
  | 'secondFactor'
  | 'promote'
  | 'merge'
  | 'unmerge'
  | 'delete';

/** What can be done now, in the order of the buttons. */
function actsFor(user: User): readonly Act[] {
  const isMerged = user.merged_into !== undefined;
  if (isMerged) return ['unmerge'];
  const isBlocked = user.blocked_at !== undefined;
  const acts: [Act, boolean][] = [
    ['change', true],
    ['block', !isBlocked],
    ['unblock', isBlocked],
    ['sessions', user.sessions.length > 0],
    ['code', !isBlocked && user.email !== null],
    ['secondFactor', user.second_factor_since !== null],
    ['promote', user.user_type === 'professional' && !user.is_su_admin && !isBlocked],
    ['merge', true],
    ['delete', true],
  ];
  return acts.filter(([, isPossible]) => isPossible).map(([act]) => act);
}

export function UserActs({ user, onClose, onOther }: UserActsProps) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState<Act>();
  const close = () => setAsking(undefined);
  const given = { user, onClose: close };
  return (
    <>
      <h3>{t('admin.user.acts')}</h3>
      <p className="actions">
        {actsFor(user).map((act) => (
          <Button key={act} variant="default" onClick={() => setAsking(act)}>
            {t(`admin.act.${act}.button`)}
          </Button>
        ))}
      </p>
      {asking === 'change' && <ChangeDialog {...given} />}
      {asking === 'code' && <CodeDialog {...given} />}
      {asking === 'promote' && <PromoteDialog {...given} />}
      {asking === 'merge' && <MergeDialog {...given} onMerged={onOther} />}
      {asking === 'delete' && <DeleteDialog {...given} onDeleted={onClose} />}
      {(asking === 'block' ||
        asking === 'unblock' ||
        asking === 'sessions' ||
        asking === 'secondFactor' ||
        asking === 'unmerge') && <SimpleDialog {...given} act={asking} />}
    </>
  );
}
