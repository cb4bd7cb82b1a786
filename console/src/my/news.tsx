// What is new for the patient since the last visit, until it is marked as read.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { actingFor } from '../api/acting.ts';
import { dispatch, read } from '../api/clients.ts';
import { dayText } from '../i18n/format.ts';
import { ErrorCard } from '../shell/error-card.tsx';

/** More than a visit has; beyond it the count is a lower bound that nobody needs. */
const MOST = 50;

function useNews() {
  const query = { unread: true, per_page: MOST };
  return useQuery({
    queryKey: ['news'],
    queryFn: () => read(dispatch.GET('/api/v1/notifications', { params: { query } })),
    // A proxy gets none.
    enabled: actingFor() === undefined,
    // The screen shows this part when it has been read or has failed: that must not begin it again.
    retryOnMount: false,
  });
}

export function News() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data: news } = useNews();
  const markRead = useMutation({
    mutationFn: () => read(dispatch.POST('/api/v1/notifications/read-all')),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['news'] }),
  });
  const newOf = (kind: 'form_given' | 'results_received') => {
    const found = (news?.data ?? []).filter((each) => each.kind === kind);
    return found[0] && { count: found.length, day: dayText(found[0].created_at) };
  };
  const [forms, results] = [newOf('form_given'), newOf('results_received')];
  if (forms === undefined && results === undefined) return null;
  return (
    <section className="note" aria-labelledby="news">
      <h2 id="news">{t('news.title')}</h2>
      {forms !== undefined && <p>{t('news.forms', forms)}</p>}
      {results !== undefined && <p>{t('news.results', results)}</p>}
      {markRead.error !== null && <ErrorCard error={markRead.error} />}
      <p className="actions">
        <Button variant="default" loading={markRead.isPending} onClick={() => markRead.mutate()}>
          {t('news.read')}
        </Button>
      </p>
    </section>
  );
}
