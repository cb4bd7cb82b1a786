// A form that changes something of the library: its fields, why it failed, what somebody else has changed, the buttons.
import { Button } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Part } from '../../../shared/change/parts.ts';
import { TheirChanges } from '../../../shared/change/their-changes.tsx';
import { OvertakenError, type useChange } from '../../../shared/change/use-change.ts';
import { LibraryFailure } from './library-failure.tsx';

interface ChangeFormProps<Item extends object> {
  readonly change: Pick<ReturnType<typeof useChange<Item>>, 'error' | 'isPending' | 'mutate'>;
  readonly parts: readonly Part<Item>[];
  /** The record that the form was opened with. */
  readonly opened: Item;
  /** What is in the form. */
  readonly changes: Partial<Item>;
  readonly isReady: boolean;
  /** Ends the form, and forgets what was typed in it. */
  readonly onClose: () => void;
  /** The fields. */
  readonly children: ReactNode;
}

export function ChangeForm<Item extends object>(props: ChangeFormProps<Item>) {
  const { change, opened, changes, children } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ changes, opened });
  };
  return (
    <form onSubmit={submit}>
      {children}
      <ChangeEnd {...props} />
    </form>
  );
}

function ChangeEnd<Item extends object>(props: Omit<ChangeFormProps<Item>, 'children'>) {
  const { change, parts, opened, changes, isReady, onClose } = props;
  const { t } = useTranslation();
  const { error } = change;
  if (error instanceof OvertakenError) {
    const now: Item = error.now;
    return (
      <div className="alert">
        <TheirChanges {...{ parts, opened, now, changes }} />
        <p className="actions">
          <Button
            disabled={!isReady}
            loading={change.isPending}
            onClick={() => change.mutate({ changes, opened, over: now })}
          >
            {t('theirChanges.keepMine')}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t('theirChanges.takeTheirs')}
          </Button>
        </p>
      </div>
    );
  }
  return (
    <>
      {error !== null && <LibraryFailure error={error} />}
      <p className="actions">
        <Button type="submit" disabled={!isReady} loading={change.isPending}>
          {t('planner.library.save')}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t('planner.back')}
        </Button>
      </p>
    </>
  );
}
