// What is new for the patient since the last visit, until it is marked as read.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { actingFor } from '../api/acting.ts';
import { dispatch, read } from '../api/clients.ts';
import { dayText } from '../i18n/format.ts';
import { ErrorCard } from '../shell/error-card.tsx';

const MOST = 5;

export function News() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const query = { unread: true, kind: 'form_given' as const, per_page: MOST };
  const { data: news } = useQuery({
    queryKey: ['news'],
    queryFn: () => read(dispatch.GET('/api/v1/notifications', { params: { query } })),
    // A proxy gets none.
    enabled: actingFor() === undefined,
  });
  const markRead = useMutation({
    mutationFn: () => read(dispatch.POST('/api/v1/notifications/read-all')),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['news'] }),
  });
  const [newest] = news?.data ?? [];
  if (news === undefined || newest === undefined) return null;
  return (
    <section className="note" aria-labelledby="news">
      <h2 id="news">{t('news.title')}</h2>
      <p>{t('news.forms', { count: news.total, day: dayText(newest.created_at) })}</p>
      {markRead.error !== null && <ErrorCard error={markRead.error} />}
      <p className="actions">
        <Button variant="default" loading={markRead.isPending} onClick={() => markRead.mutate()}>
          {t('news.read')}
        </Button>
      </p>
    </section>
  );
}
