// A part of a screen that is read from a service: what it shows while it waits, when it fails, and when it is there.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorCard } from './error-card.tsx';
import { Loading } from './loading.tsx';

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}

export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (error !== null) return <ErrorCard error={error} onRetry={() => void refetch()} />;
  return <Loading />;
}
