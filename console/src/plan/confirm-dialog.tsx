// Asks before an act that others will see: what it does, and a button that does it.
import { useTranslation } from 'react-i18next';
import { ActDialog, type ActDialogProps } from '../shared/act-dialog.tsx';

interface ConfirmDialogProps
  extends Pick<ActDialogProps, 'title' | 'confirm' | 'act' | 'onClose' | 'isReady' | 'children'> {
  readonly effect: string;
}

/** `children` say what it concerns, or why it failed. */
export function ConfirmDialog({ effect, children, ...dialog }: ConfirmDialogProps) {
  const { t } = useTranslation();
  return (
    <ActDialog {...dialog} cancel={t('planner.back')}>
      <p>{effect}</p>
      {children}
    </ActDialog>
  );
}
