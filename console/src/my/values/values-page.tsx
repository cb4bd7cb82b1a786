// The patient's values: each as a line with what is normal and what the plan aims at, in a sentence, and as a table.
import { useTranslation } from 'react-i18next';
import type { GoalTarget } from '../../clinical/care-plan.ts';
import { ValueCards } from '../../clinical/value-cards.tsx';
import { remarksOf, seriesOf } from '../../clinical/values.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { useObservations, usePlans } from '../queries.ts';

const NO_TARGETS: readonly GoalTarget[] = [];

export function ValuesPage() {
  const { t } = useTranslation();
  const plans = usePlans();
  const targets = plans.data?.contexts.flatMap(
    ({ snapshot }) => snapshot?.goals.flatMap((goal) => goal.targets ?? []) ?? [],
  );
  return (
    <Page title={t('values.title')}>
      <Loaded query={useObservations()}>
        {(observations) => {
          const series = seriesOf(observations, targets ?? NO_TARGETS);
          const remarks = remarksOf(observations);
          if (series.length === 0 && remarks.length === 0) return <Empty>{t('values.none')}</Empty>;
          return <ValueCards series={series} remarks={remarks} own={t('values.own')} />;
        }}
      </Loaded>
    </Page>
  );
}
