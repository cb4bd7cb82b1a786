// How requests fare: how far they came, what waits, how deliveries went, and who answers how soon. All pictures are of
// one reading of dispatch's numbers; the days are in the address.
import { TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../api/clients.ts';
import type { DispatchShapes } from '../../api/shapes.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { Answers } from './answers.tsx';
import { Attempts, Funnel, Waiting } from './bar-figures.tsx';

interface Days {
  readonly from?: string;
  readonly to?: string;
}

function useStatistics(query: Days) {
  return useQuery({
    queryKey: ['statistics', query],
    queryFn: () => read(dispatch.GET('/api/v1/statistics', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

export type Statistics = DispatchShapes['Statistics'];

export function StatisticsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const days: Days = { ...dayIn('from', search), ...dayIn('to', search) };
  const found = useStatistics(days);
  const set = (changed: Days) => void navigate({ to: '/plan/statistics', search: { ...days, ...changed } });
  return (
    <Page title={t('planner.statistics.title')}>
      <p>{t('planner.statistics.lead')}</p>
      <div className="filters">
        {(['from', 'to'] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            label={t(`planner.statistics.${name}`)}
            value={days[name] ?? found.data?.[name] ?? ''}
            onChange={({ currentTarget: { value } }) => value !== '' && set({ [name]: value })}
          />
        ))}
      </div>
      <Loaded query={found}>
        {(numbers) => (
          <>
            <Funnel numbers={numbers} />
            <Waiting numbers={numbers} />
            <Attempts numbers={numbers} />
            <Answers numbers={numbers} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function dayIn(name: keyof Days, search: Record<string, unknown>): Days {
  const value = search[name];
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? { [name]: value } : {};
}
