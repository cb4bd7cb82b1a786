// An act of an administrator: asked before it is done, with the service's own words where it is refused.
import { useTranslation } from 'react-i18next';
import { type ActDialogProps, ActDialog as SharedDialog } from '../shared/act-dialog.tsx';
import { ProblemCard } from './problem-card.tsx';

interface AdminActProps extends Omit<ActDialogProps, 'cancel' | 'failure' | 'act'> {
  readonly act: ActDialogProps['act'] & { readonly error: Error | null };
}

export function ActDialog({ act, ...dialog }: AdminActProps) {
  const { t } = useTranslation();
  const failure = act.error === null ? null : <ProblemCard error={act.error} />;
  return <SharedDialog {...dialog} act={act} cancel={t('admin.cancel')} failure={failure} />;
}
