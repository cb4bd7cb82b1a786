// The patient's values: each as a line with what is normal and what the plan aims at, in a sentence, and as a table.
import { Link, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { actingFor } from '../../api/acting.ts';
import type { GoalTarget } from '../../clinical/care-plan.ts';
import { ValueCards } from '../../clinical/value-cards.tsx';
import { remarksOf, seriesOf } from '../../clinical/values.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { useMayReport } from '../proxies/use-proxies.ts';
import { useObservations, usePlans } from '../queries.ts';
import { measuresOf } from './measures.ts';
import { OwnReports } from './own-reports.tsx';

const NO_TARGETS: readonly GoalTarget[] = [];

export function ValuesPage() {
  const { t } = useTranslation();
  const plans = usePlans();
  const targets = plans.data?.contexts.flatMap(
    ({ snapshot }) => snapshot?.goals.flatMap((goal) => goal.targets ?? []) ?? [],
  );
  const mayReport = useMayReport();
  const done = useRouterState({ select: ({ location }) => location.state.doneWithValues });
  return (
    <Page title={t('values.title')}>
      {done !== undefined && (
        <p role="status" className="note">
          {t(done === 'sent' ? 'values.report.sent' : 'values.mine.removed')}
        </p>
      )}
      {mayReport && measuresOf(plans.data?.contexts ?? []).length > 0 && (
        <p>
          <Link to="/my/values/new">{t('values.report.title')}</Link>
        </p>
      )}
      <Loaded query={useObservations()}>
        {(observations) => {
          const series = seriesOf(observations, targets ?? NO_TARGETS);
          const remarks = remarksOf(observations);
          if (series.length === 0 && remarks.length === 0) return <Empty>{t('values.none')}</Empty>;
          return (
            <>
              <ValueCards
                series={series}
                remarks={remarks}
                own={t(actingFor() === undefined ? 'values.own' : 'values.patient')}
              />
              {mayReport && <OwnReports observations={observations} />}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
