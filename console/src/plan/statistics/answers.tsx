// How long providers take to answer, by the weekday on which they were asked.
import { useTranslation } from 'react-i18next';
import { Figure } from '../../charts/figure.tsx';
import { HeatMap } from '../../charts/heat-map.tsx';
import { DAYS } from '../../clinical/timing.ts';
import { numberText } from '../../i18n/format.ts';
import type { Statistics } from './statistics-page.tsx';

export function Answers({ numbers: { answers, from, to } }: { readonly numbers: Statistics }) {
  const { t } = useTranslation();
  const providers = [...new Map(answers.map((each) => [each.provider_guid, each.provider_name]))];
  const count = answers.reduce((sum, each) => sum + each.count, 0);
  const slowest = answers.toSorted((a, b) => b.median_hours - a.median_hours)[0];
  const dayOf = (weekday: number) => t(`day.${DAYS[weekday - 1] ?? 'mon'}`);
  const sentence =
    slowest === undefined
      ? t('planner.statistics.noAnswers')
      : t('planner.statistics.answersText', {
          count,
          provider: slowest.provider_name,
          day: dayOf(slowest.weekday),
          time:
            slowest.median_hours < 1
              ? t('planner.statistics.underHour')
              : t('planner.statistics.someHours', { hours: numberText(slowest.median_hours) }),
        });
  return (
    <Figure
      title={t('planner.statistics.answers')}
      sentence={sentence}
      table={{
        head: [
          t('planner.statistics.provider'),
          t('planner.statistics.weekday'),
          t('planner.statistics.count'),
          t('planner.statistics.median'),
        ],
        rows: answers.map((each) => [each.provider_name, dayOf(each.weekday), each.count, each.median_hours]),
      }}
      fileName={`${t('planner.statistics.answers')} ${from} ${to}`}
    >
      {providers.length > 0 && (
        <HeatMap
          columns={DAYS.map((day) => t(`day.${day}`).slice(0, 3))}
          rows={providers.map(([key, label]) => ({
            key,
            label,
            values: DAYS.map(
              (_, index) =>
                answers.find((each) => each.provider_guid === key && each.weekday === index + 1)?.median_hours,
            ),
          }))}
        />
      )}
    </Figure>
  );
}
