// The patient's values: each as a line with what is normal and what the plan aims at, in a sentence, and as a table.
import { useTranslation } from 'react-i18next';
import { dayText, momentText, numberText } from '../../i18n/format.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import type { GoalTarget } from '../plan/care-plan.ts';
import { useObservations, usePlans } from '../queries.ts';
import { ValueChart } from './value-chart.tsx';
import { type Band, isWithin, remarksOf, type Series, seriesOf } from './values.ts';

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
          return (
            <>
              {series.map((each) => (
                <SeriesCard key={each.key} series={each} />
              ))}
              {remarks.length > 0 && (
                <section className="card" aria-labelledby="remarks">
                  <h2 id="remarks">{t('values.remarks')}</h2>
                  <dl className="facts">
                    {remarks.map(({ id, name, at, text }) => (
                      <div key={id}>
                        <dt>
                          {name}, {dayText(at)}
                        </dt>
                        <dd>{text}</dd>
                      </div>
                    ))}
                  </dl>
                </section>
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

const NO_TARGETS: readonly GoalTarget[] = [];

function SeriesCard({ series }: { readonly series: Series }) {
  const { t } = useTranslation();
  const { name, unit, readings, normal, goal } = series;
  const last = readings.at(-1);
  const bandText = useBandText(unit);
  if (last === undefined) return null;
  const latest = t('values.latest', { value: numberText(last.value), unit, day: dayText(last.at) });
  const judged = normal && t(isWithin(last.value, normal) ? 'values.isNormal' : 'values.isOutside');
  const sentences = [latest, judged, normal && t('values.normal', { band: bandText(normal) })];
  if (goal !== undefined) sentences.push(t('values.goal', { band: bandText(goal) }));
  return (
    <div className="card">
      <h2>{name}</h2>
      <p>{sentences.filter((sentence) => sentence !== undefined).join(' ')}</p>
      {readings.length > 1 && <ValueChart series={series} label={`${name}. ${latest}`} />}
      <details>
        <summary>{t('values.table', { count: readings.length })}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
        <section className="scroll" tabIndex={0} aria-label={`${name} (${unit})`}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('values.when')}</th>
                <th scope="col">{t('values.value')}</th>
                <th scope="col">{t('values.from')}</th>
              </tr>
            </thead>
            <tbody>
              {readings.toReversed().map((reading) => (
                <tr key={reading.id}>
                  <td>{momentText(reading.at)}</td>
                  <td>
                    {numberText(reading.value)} {unit}
                    {normal !== undefined && !isWithin(reading.value, normal) && ` (${t('values.outside')})`}
                  </td>
                  <td>{t(reading.isOwn ? 'values.own' : 'values.carer')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </div>
  );
}

function useBandText(unit: string): (band: Band) => string {
  const { t } = useTranslation();
  return ({ low, high, isOpen = false }) => {
    if (low !== undefined && low === high) return `${numberText(low)} ${unit}`;
    if (low !== undefined && high !== undefined) return `${numberText(low)}–${numberText(high)} ${unit}`;
    const open = { value: numberText(low ?? high ?? 0), unit };
    if (low !== undefined) return t(isOpen ? 'values.above' : 'values.atLeast', open);
    return t(isOpen ? 'values.below' : 'values.atMost', open);
  };
}
