// The patient's measured values, from wherever they came.
import { useQuery } from '@tanstack/react-query';
import type { Observation } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { searchFhir } from '../../api/fhir.ts';
import { ValueCards } from '../../clinical/value-cards.tsx';
import { remarksOf, seriesOf } from '../../clinical/values.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty } from '../../shell/page.tsx';

const MOST = '500';

export function Values({ patientId }: { readonly patientId: string }) {
  const { t } = useTranslation();
  const parameters = { subject: `Patient/${patientId}`, _sort: '-date', _count: MOST };
  const values = useQuery({
    queryKey: ['patient-values', patientId],
    queryFn: () => searchFhir<Observation>('engine', 'Observation', parameters),
  });
  return (
    <Loaded query={values}>
      {(observations) => {
        const [series, remarks] = [seriesOf(observations, []), remarksOf(observations)];
        if (series.length === 0 && remarks.length === 0) return <Empty>{t('planner.values.none')}</Empty>;
        return <ValueCards series={series} remarks={remarks} own={t('planner.values.patient')} />;
      }}
    </Loaded>
  );
}
