// Asks before an act that others will see: what it does, and a button that does it.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../shell/dialog.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  readonly effect: string;
  /** The words of the button that does it. */
  readonly confirm: string;
  readonly act: { readonly isPending: boolean; mutate(): void };
  readonly onClose: () => void;
  /** What it concerns, or why it failed. */
  readonly children?: ReactNode;
}

export function ConfirmDialog({ title, effect, confirm, act, onClose, children }: ConfirmDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{effect}</p>
      {children}
      <p className="actions">
        <Button loading={act.isPending} onClick={() => act.mutate()}>
          {confirm}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t('planner.back')}
        </Button>
      </p>
    </Dialog>
  );
}
