// The end of a form that changes something of the library: why it failed, and the buttons.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { LibraryFailure } from './library-failure.tsx';
import { OvertakenError } from './use-change.ts';

interface ChangeEndProps {
  readonly change: { readonly error: Error | null; readonly isPending: boolean };
  readonly isReady: boolean;
  /** Ends the form, and forgets what was typed in it. */
  readonly onClose: () => void;
  /** Stores it though it is not what was opened any more. */
  readonly onKeepMine: (now: string) => void;
}

export function ChangeEnd({ change, isReady, onClose, onKeepMine }: ChangeEndProps) {
  const { t } = useTranslation();
  const { error } = change;
  if (error instanceof OvertakenError) {
    return (
      <div className="alert" role="alert">
        <h2>{t('planner.library.overtaken')}</h2>
        <p>{t('planner.library.overtakenText', { title: error.title })}</p>
        <p className="actions">
          <Button loading={change.isPending} onClick={() => onKeepMine(error.now)}>
            {t('planner.library.keepMine')}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t('planner.library.takeTheirs')}
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
