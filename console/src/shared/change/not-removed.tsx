// Why nothing was removed: somebody else has changed it since it was shown.
import { useTranslation } from 'react-i18next';

export function NotRemoved() {
  const { t } = useTranslation();
  return (
    <div className="alert" role="alert">
      <h2>{t('theirChanges.title')}</h2>
      <p>{t('theirChanges.notRemoved')}</p>
    </div>
  );
}
