// What a screen shows while it reads: the shape of its content, and the word for who cannot see that.
import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

const LINES = ['60%', '100%', '85%'] as const;

export function Loading() {
  const { t } = useTranslation();
  return (
    <div role="status">
      <span className="visually-hidden">{t('shell.loading')}</span>
      {LINES.map((width) => (
        <Skeleton key={width} height="1.25rem" width={width} mt="md" />
      ))}
    </div>
  );
}
