// Where the link of an invite leads: a professional asks to become a member of the group.
import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { Problem } from '../../api/problem.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { useAct } from '../use-act.ts';

export function JoinPage() {
  const { t } = useTranslation();
  const token = useMemo(() => new URLSearchParams(window.location.search).get('invite') ?? '', []);
  const join = useAct(
    (body: { token: string }, key: string) =>
      read(identity.POST('/api/groups/join-by-invite', { headers: { 'idempotency-key': key }, body })),
    { name: 'join', changes: ['me'] },
  );
  const why = whyNot(join.error);
  return (
    <Page title={t('admin.join.title')}>
      {join.isSuccess ? (
        <p className="note" role="status">
          {t('admin.join.done')}
        </p>
      ) : (
        <>
          <p>{t('admin.join.lead')}</p>
          {why !== undefined && <Empty>{t(`admin.join.${why}`)}</Empty>}
          {join.error !== null && why === undefined && <ErrorCard error={join.error} />}
          <p className="actions">
            <Button disabled={token === ''} loading={join.isPending} onClick={() => join.mutate({ token })}>
              {t('admin.join.ask')}
            </Button>
          </p>
        </>
      )}
    </Page>
  );
}

function whyNot(error: Error | null): 'gone' | 'already' | 'notYours' | undefined {
  if (!(error instanceof Problem)) return undefined;
  if (error.status === 404 || error.status === 410) return 'gone';
  if (error.status === 409) return 'already';
  return error.status === 403 ? 'notYours' : undefined;
}
