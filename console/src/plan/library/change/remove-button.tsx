// Deletes something of the library: asks first, and names what uses it where that keeps it from being deleted.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deleteAt } from '../../../api/fhir.ts';
import { isChangedSince } from '../../../api/problem.ts';
import { NotRemoved } from '../../../shared/change/not-removed.tsx';
import { Dialog } from '../../../shell/dialog.tsx';
import { ConfirmDialog } from '../../confirm-dialog.tsx';
import { LibraryFailure } from './library-failure.tsx';
import { LIBRARY } from './use-change-form.ts';
import type { Use } from './uses.ts';

interface RemoveButtonProps {
  /** Of the engine, such as `/goals/0190…`. */
  readonly path: string;
  /** The version that is shown, which its `ETag` has. */
  readonly version: number;
  readonly title: string;
  /** What deleting it does. */
  readonly effect: string;
  /** What keeps it from being deleted. */
  readonly uses?: readonly Use[];
}

export function RemoveButton({ path, version, title, effect, uses = [] }: RemoveButtonProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  // The version that was shown when the button was pressed, though the list is read again meanwhile.
  const [asked, setAsked] = useState<number>();
  const isAsking = asked !== undefined;
  const readAgain = () => queries.invalidateQueries({ queryKey: LIBRARY });
  const remove = useMutation({
    mutationFn: () => deleteAt(`/engine/api/v1${path}`, asked ?? version),
    onSuccess: readAgain,
    // The dialog says that nothing was removed once the list shows how it is now: opened again, it asks about that.
    onError: async (error) => {
      if (isChangedSince(error)) await readAgain();
    },
  });
  const isOvertaken = isChangedSince(remove.error);
  const close = () => {
    setAsked(undefined);
    remove.reset();
  };
  const name = t('planner.library.removeSure', { title });
  return (
    <>
      <button
        type="button"
        className="plain-button"
        aria-label={t('planner.library.removeOf', { title })}
        onClick={() => setAsked(version)}
      >
        {t('planner.library.remove')}
      </button>
      {isAsking && uses.length === 0 && (
        <ConfirmDialog
          title={name}
          effect={effect}
          confirm={t('planner.library.removeNow')}
          act={remove}
          onClose={close}
          isReady={!isOvertaken}
        >
          {isOvertaken && <NotRemoved />}
          {remove.error !== null && !isOvertaken && <LibraryFailure error={remove.error} />}
        </ConfirmDialog>
      )}
      {isAsking && uses.length > 0 && (
        <Dialog title={t('planner.library.used', { title })} onClose={close}>
          <p>{t('planner.library.usedBy')}</p>
          <ul>
            {uses.map(({ kind, name: user }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two steps may have the same name
              <li key={index}>{t(`planner.library.use.${kind}`, { name: user })}</li>
            ))}
          </ul>
          <p className="actions">
            <Button variant="default" onClick={close}>
              {t('planner.back')}
            </Button>
          </p>
        </Dialog>
      )}
    </>
  );
}
