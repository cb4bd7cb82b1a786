// To whom a request goes, and what became of each. Finding providers, and sending it to them, stand at the top of the
// page while they are the next act, and here when it may be done as well.
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Loaded } from '../../../shell/loaded.tsx';
import { Empty } from '../../../shell/page.tsx';
import { useRights } from '../../rights.ts';
import { type Next, type Situation, whyNot } from '../moves.ts';
import type { Match } from '../request-queries.ts';
import { MatchButton } from './match-button.tsx';
import { MatchCard } from './match-card.tsx';
import { PushForm } from './push-form.tsx';

interface RecipientsProps {
  readonly id: string;
  readonly query: UseQueryResult<{ readonly data: readonly Match[] }>;
  readonly situation: Situation;
  readonly next: Next;
}

export function Recipients({ id, query, situation, next }: RecipientsProps) {
  const { t } = useTranslation();
  const { mayPlan } = useRights();
  const notPushed = whyNot('push', situation);
  const canPush = mayPlan && next !== 'push' && notPushed === undefined;
  const canMatch = mayPlan && next !== 'match' && next !== 'matchAgain' && whyNot('match', situation) === undefined;
  return (
    <section aria-labelledby="recipients">
      <h2 id="recipients" tabIndex={-1}>
        {t('planner.recipients.title')}
      </h2>
      <Loaded query={query}>
        {({ data }) => (
          <>
            {data.length === 0 && (
              <Empty>
                {t(situation.status === 'draft' ? 'planner.recipients.ofDraft' : 'planner.recipients.notSought')}{' '}
                {mayPlan && <a href="#next">{t('planner.next.to.next')}</a>}
              </Empty>
            )}
            {canPush && (
              <div className="card">
                <PushForm id={id} pending={pendingOf(data)} />
              </div>
            )}
            {mayPlan && (notPushed === 'taken' || notPushed === 'done') && (
              <div className="note">
                <p>{t('planner.recipients.notNow', { why: t(`planner.request.why.${notPushed}`) })}</p>
                {notPushed === 'taken' && (
                  <details>
                    <summary>{t('planner.recipients.toMore')}</summary>
                    <PushForm id={id} pending={pendingOf(data)} isTaken />
                  </details>
                )}
              </div>
            )}
            <ul className="cards">
              {data.map((each) => (
                <MatchCard
                  key={each.match_guid}
                  id={id}
                  match={each}
                  isOpen={mayPlan && situation.status === 'active'}
                />
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {canMatch && <MatchButton id={id} isFirst={false} />}
    </section>
  );
}

function pendingOf(matches: readonly Match[]): readonly Match[] {
  return matches.filter(({ status }) => status === 'pending');
}
