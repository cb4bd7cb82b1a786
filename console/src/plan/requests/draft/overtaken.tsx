// Other content has been saved since somebody began to change a draft: what differs, and which of both counts.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface OvertakenProps {
  /** The difference. */
  readonly children: ReactNode;
  /** What the button says that saves mine. */
  readonly saveLabel: string;
  readonly isSaving: boolean;
  readonly onSaveMine: (() => void) | undefined;
  readonly onTakeTheirs: () => void;
}

export function Overtaken({ children, saveLabel, isSaving, onSaveMine, onTakeTheirs }: OvertakenProps) {
  const { t } = useTranslation();
  return (
    <div className="alert">
      <div role="alert">
        <h2>{t('planner.request.overtaken')}</h2>
        <p>{t('planner.request.overtakenText')}</p>
      </div>
      {children}
      <p className="actions">
        <Button variant="default" disabled={onSaveMine === undefined} loading={isSaving} onClick={onSaveMine}>
          {saveLabel}
        </Button>
        <Button variant="default" onClick={onTakeTheirs}>
          {t('planner.request.takeTheirs')}
        </Button>
      </p>
    </div>
  );
}
