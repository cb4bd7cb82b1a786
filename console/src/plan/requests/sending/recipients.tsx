// To whom a request goes. Providers are found, and it is pushed to one, to the first who accepts, or to all. What
// became of each is shown.
import { Button } from '@mantine/core';
import { type UseQueryResult, useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../../api/clients.ts';
import { Problem } from '../../../api/problem.ts';
import { ErrorCard } from '../../../shell/error-card.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { Empty } from '../../../shell/page.tsx';
import { type Situation, whyNot } from '../moves.ts';
import { type Match, useRefresh } from '../request-queries.ts';
import { MatchCard } from './match-card.tsx';
import { PushForm } from './push-form.tsx';

interface RecipientsProps {
  readonly id: string;
  readonly query: UseQueryResult<{ readonly data: readonly Match[] }>;
  readonly situation: Situation;
}

export function Recipients({ id, query, situation }: RecipientsProps) {
  const { t } = useTranslation();
  const refresh = useRefresh(id);
  const match = useMutation({
    mutationFn: () => read(dispatch.POST('/api/v1/ServiceRequest/{id}/match', { params: { path: { id } }, body: {} })),
    onSuccess: refresh,
  });
  const canMatch = whyNot('match', situation) === undefined;
  return (
    <section aria-labelledby="recipients">
      <h2 id="recipients">{t('planner.recipients.title')}</h2>
      <Loaded query={query}>
        {({ data }) => {
          const pending = data.filter(({ status }) => status === 'pending');
          return (
            <>
              {data.length === 0 && (
                <Empty>{t(match.isSuccess ? 'planner.recipients.nobody' : 'planner.recipients.notSought')}</Empty>
              )}
              {pending.length > 0 && whyNot('push', situation) === undefined && <PushForm id={id} pending={pending} />}
              <ul className="cards">
                {data.map((each) => (
                  <MatchCard key={each.match_guid} id={id} match={each} isOpen={situation.status === 'active'} />
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
      <MatchError error={match.error} />
      {canMatch && (
        <p className="actions">
          <Button
            variant={situation.matches.length === 0 ? 'filled' : 'default'}
            loading={match.isPending}
            onClick={() => match.mutate()}
          >
            {t(situation.matches.length === 0 ? 'planner.recipients.find' : 'planner.recipients.again')}
          </Button>
        </p>
      )}
    </section>
  );
}

function MatchError({ error }: { readonly error: Error | null }) {
  const { t } = useTranslation();
  if (error instanceof Problem && error.status === 422) return <p className="bad">{t('planner.recipients.noCodes')}</p>;
  return error === null ? null : <ErrorCard error={error} />;
}
