// Parts of a screen that are read from a service: what they show while they wait, when they fail, and when they are
// there.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorCard } from './error-card.tsx';
import { Loading } from './loading.tsx';
import { Page } from './page.tsx';

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error'> & { readonly refetch: () => unknown };
  readonly children: (data: Data) => ReactNode;
}

export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (error !== null) return <ErrorCard error={error} onRetry={() => void refetch()} />;
  return <Loading />;
}

/** The same for a whole screen, whose heading is in what is read. Where that fails, it has the heading of a failure. */
export function LoadedScreen<Data>({ query, children }: LoadedProps<Data>) {
  const { t } = useTranslation();
  const { data, error } = query;
  if (data !== undefined || error === null) return <Loaded query={query}>{children}</Loaded>;
  return (
    <Page title={t('error.title')}>
      <Loaded query={query}>{children}</Loaded>
    </Page>
  );
}
