// Says on every screen for whom one acts, with the way back to one's own.
import { useTranslation } from 'react-i18next';
import { actFor, actingFor } from '../api/acting.ts';

export function ActingNote() {
  const { t } = useTranslation();
  const acting = actingFor();
  if (acting === undefined) return null;
  return (
    <aside className="note" aria-label={t('shell.acting')}>
      <p>{t('shell.actingFor', { name: acting.name })}</p>
      <button type="button" className="plain-button" onClick={() => actFor(undefined)}>
        {t('shell.ownAgain')}
      </button>
    </aside>
  );
}
