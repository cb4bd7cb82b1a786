// Changes a record where it is still the version that the dialog was opened with. Of a newer one it shows what somebody
// else has changed, and what is typed stays.
import { useTranslation } from 'react-i18next';
import { ActDialog, type ActDialogProps } from '../shared/act-dialog.tsx';
import type { Part } from '../shared/change/parts.ts';
import { TheirChanges } from '../shared/change/their-changes.tsx';
import { OvertakenError, type useChange } from '../shared/change/use-change.ts';
import { ProblemCard } from './problem-card.tsx';

interface ChangeDialogProps<Item extends object>
  extends Pick<ActDialogProps, 'title' | 'onClose' | 'isReady' | 'children'> {
  readonly change: Pick<ReturnType<typeof useChange<Item>>, 'error' | 'isPending' | 'mutate'>;
  readonly parts: readonly Part<Item>[];
  /** The record that the dialog was opened with. */
  readonly opened: Item;
  /** What is in the fields. */
  readonly changes: Partial<Item>;
}

export function ChangeDialog<Item extends object>(props: ChangeDialogProps<Item>) {
  const { change, parts, opened, changes, ...dialog } = props;
  const { t } = useTranslation();
  const { error, isPending } = change;
  if (error instanceof OvertakenError) {
    const now: Item = error.now;
    return (
      <ActDialog
        {...dialog}
        confirm={t('theirChanges.keepMine')}
        cancel={t('theirChanges.takeTheirs')}
        act={{ isPending, mutate: () => change.mutate({ changes, opened, over: now }) }}
        failure={
          <div className="alert">
            <TheirChanges {...{ parts, opened, now, changes }} />
          </div>
        }
      />
    );
  }
  return (
    <ActDialog
      {...dialog}
      confirm={t('admin.contract.save')}
      cancel={t('admin.cancel')}
      act={{ isPending, mutate: () => change.mutate({ changes, opened }) }}
      failure={error !== null && <ProblemCard error={error} />}
    />
  );
}
