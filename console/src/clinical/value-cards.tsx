// Measured values: each as a line with what is normal and what the plan aims at, in a sentence, and as a table. What is
// no number is listed below.
import { useTranslation } from 'react-i18next';
import { useBandText, useReadingText } from '../i18n/band-text.ts';
import { dayText, momentText } from '../i18n/format.ts';
import { ScrollTable } from '../shared/scroll-table.tsx';
import { ValueChart } from './value-chart.tsx';
import { isWithin, type Remark, type Series } from './values.ts';

interface ValueCardsProps {
  readonly series: readonly Series[];
  readonly remarks: readonly Remark[];
  /** What the patient's own values are said to be from. */
  readonly own: string;
}

export function ValueCards({ series, remarks, own }: ValueCardsProps) {
  const { t } = useTranslation();
  return (
    <>
      {series.map((each) => (
        <SeriesCard key={each.key} series={each} own={own} />
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
                <dd>{typeof text === 'boolean' ? t(text ? 'form.yes' : 'form.no') : text}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </>
  );
}

function SeriesCard({ series, own }: { readonly series: Series; readonly own: string }) {
  const { t } = useTranslation();
  const { name, unit, readings, normal, goal } = series;
  const last = readings.at(-1);
  const bandText = useBandText(unit);
  const readingText = useReadingText(unit);
  if (last === undefined) return null;
  const latest = t('values.latest', { value: readingText(last), day: dayText(last.at) });
  const isNormal = normal && isWithin(last, normal);
  const rating =
    normal === undefined
      ? [t('values.unknown')]
      : [
          ...(isNormal === undefined ? [] : [t(isNormal ? 'values.isNormal' : 'values.isOutside')]),
          t('values.normal', { band: bandText(normal) }),
        ];
  const sentences = [latest, ...rating];
  if (goal !== undefined) sentences.push(t('values.goal', { band: bandText(goal) }));
  return (
    <div className="card">
      <h2>{name}</h2>
      <p>{sentences.join(' ')}</p>
      {readings.length > 1 && <ValueChart series={series} label={`${name}. ${latest}`} />}
      <details>
        <summary>{t('values.table', { count: readings.length })}</summary>
        <ScrollTable
          label={unit === '' ? name : `${name} (${unit})`}
          head={[t('values.when'), t('values.value'), t('values.from')]}
        >
          {readings.toReversed().map((reading) => (
            <tr key={reading.id}>
              <td>{momentText(reading.at)}</td>
              <td>
                {readingText(reading)}
                {normal !== undefined && isWithin(reading, normal) === false && ` (${t('values.outside')})`}
              </td>
              <td>{reading.isOwn ? (reading.isByProxy ? t('values.proxy') : own) : t('values.carer')}</td>
            </tr>
          ))}
        </ScrollTable>
      </details>
    </div>
  );
}
