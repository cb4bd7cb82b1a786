// Deletes something of the library: asks first, and names what uses it where that keeps it from being deleted.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deleteAt } from '../../../api/fhir.ts';
import { Dialog } from '../../../shell/dialog.tsx';
import { ConfirmDialog } from '../../confirm-dialog.tsx';
import { LibraryFailure } from './library-failure.tsx';
import type { Use } from './uses.ts';

interface RemoveButtonProps {
  /** Of the engine, such as `/goals/0190…`. */
  readonly path: string;
  readonly title: string;
  /** What deleting it does. */
  readonly effect: string;
  /** What keeps it from being deleted. */
  readonly uses?: readonly Use[];
}

export function RemoveButton({ path, title, effect, uses = [] }: RemoveButtonProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => deleteAt(`/engine/api/v1${path}`),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['library'] }),
  });
  const close = () => {
    setAsking(false);
    remove.reset();
  };
  const name = t('planner.library.removeSure', { title });
  return (
    <>
      <button
        type="button"
        className="plain-button"
        aria-label={t('planner.library.removeOf', { title })}
        onClick={() => setAsking(true)}
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
        >
          {remove.error !== null && <LibraryFailure error={remove.error} />}
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
