// Opens the form that changes an entry of the library.
import { useTranslation } from 'react-i18next';

export function ChangeButton({ title, onClick }: { readonly title: string; readonly onClick: () => void }) {
  const { t } = useTranslation();
  return (
    <button
      type="button"
      className="plain-button"
      aria-label={t('planner.library.changeOf', { title })}
      onClick={onClick}
    >
      {t('planner.library.change')}
    </button>
  );
}
