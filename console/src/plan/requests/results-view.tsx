// What has been reported about a request: measured values, answers to forms, and what is still on its way.
import { useTranslation } from 'react-i18next';
import type { GoalTarget } from '../../clinical/care-plan.ts';
import { ValueCards } from '../../clinical/value-cards.tsx';
import { remarksOf, seriesOf } from '../../clinical/values.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { AnswerList } from '../patients/answers.tsx';
import { useResults } from './request-queries.ts';

interface ResultsViewProps {
  readonly id: string;
  readonly isLive: boolean;
  /** What the plan aims at. */
  readonly targets: readonly GoalTarget[];
}

export function ResultsView({ id, isLive, targets }: ResultsViewProps) {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="results">
      <h2 id="results" tabIndex={-1}>
        {t('planner.results.title')}
      </h2>
      <Loaded query={useResults(id, isLive)}>
        {({ listed, observations, responses }) => {
          const waiting = listed.filter(({ state }) => state === 'pending').length;
          const refused = listed.filter(({ state }) => state === 'refused').length;
          const isEmpty = observations.length === 0 && responses.length === 0;
          return (
            <>
              {isEmpty && waiting === 0 && <p className="quiet">{t('planner.results.none')}</p>}
              {waiting > 0 && <p className="note">{t('planner.results.waiting', { count: waiting })}</p>}
              {refused > 0 && <p className="bad">{t('planner.results.refused', { count: refused })}</p>}
              <ValueCards
                series={seriesOf(observations, targets)}
                remarks={remarksOf(observations)}
                own={t('planner.values.patient')}
              />
              <AnswerList responses={responses} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
