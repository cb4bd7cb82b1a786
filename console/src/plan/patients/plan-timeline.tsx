// A patient's plan on a time axis: what is due when, what was done, and which values reached a goal.
import { useQuery } from '@tanstack/react-query';
import type { Observation } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { searchFhir } from '../../api/fhir.ts';
import { Figure } from '../../charts/figure.tsx';
import { Timeline, type TimelineRow } from '../../charts/timeline.tsx';
import { type PlanContext, planOf } from '../../clinical/care-plan.ts';
import { seriesOf } from '../../clinical/values.ts';
import { dayText, numberText } from '../../i18n/format.ts';
import { planTimesOf } from './plan-times.ts';

const MOST_READINGS = '500';

export function PlanTimeline({ context, patientId }: { readonly context: PlanContext; readonly patientId: string }) {
  const { t } = useTranslation();
  const { data: observations = [] } = useQuery({
    queryKey: ['patient-values', patientId],
    queryFn: () =>
      searchFhir<Observation>('engine', 'Observation', {
        subject: `Patient/${patientId}`,
        _sort: '-date',
        _count: MOST_READINGS,
      }),
  });
  const plan = planOf(context);
  const targets = plan.goals.flatMap((goal) => goal.targets);
  const now = Date.now();
  const times = planTimesOf(plan, context.careplan, seriesOf(observations, targets), now);
  if (times === undefined) return null;
  const { from, to, activities, done, goals } = times;
  const day = (at: number) => dayText(new Date(at).toISOString());
  const rows: readonly TimelineRow[] = [
    ...activities.map(({ id, title, due }) => ({
      key: id,
      label: title,
      spans: [{ key: 'plan', from, to }],
      marks: due.map((at) => ({ key: String(at), at, shape: 'tick' as const })),
    })),
    ...(done.length === 0
      ? []
      : [
          {
            key: 'done',
            label: t('planner.timeline.done'),
            marks: done.map((at, index) => ({ key: `${at} ${index}`, at, shape: 'flag' as const })),
          },
        ]),
    ...goals.map(({ key, name, readings }) => ({
      key,
      label: t('planner.timeline.goal', { name }),
      marks: readings.map(({ at, isReached }, index) => ({
        key: `${at} ${index}`,
        at,
        shape: isReached ? ('diamond' as const) : ('dot' as const),
      })),
    })),
  ];
  const reached = goals.filter(({ readings }) => readings.at(-1)?.isReached === true).length;
  const sentence = [
    t(times.hasEnd ? 'planner.timeline.period' : 'planner.timeline.since', { from: day(from), to: day(to) }),
    t('planner.timeline.activities', { count: activities.length }),
    ...(goals.length === 0 ? [] : [t('planner.timeline.reached', { reached, goals: goals.length })]),
  ].join(' ');
  const table = {
    head: [t('planner.timeline.what'), t('planner.timeline.when'), t('planner.timeline.state')],
    rows: [
      ...activities.flatMap(({ title, due }) =>
        due.length === 0
          ? [[title, `${day(from)} – ${day(to)}`, t('planner.timeline.planned')]]
          : due.map((at) => [title, day(at), t('planner.timeline.planned')]),
      ),
      ...done.map((at) => [t('planner.timeline.done'), day(at), t('planner.timeline.done')]),
      ...goals.flatMap(({ name, readings }) =>
        readings.map(({ at, value, isReached }) => [
          `${name}: ${numberText(value)}`,
          day(at),
          t(isReached ? 'planner.timeline.goalReached' : 'planner.timeline.goalMissed'),
        ]),
      ),
    ],
  };
  return (
    <Figure
      title={t('planner.timeline.title')}
      sentence={sentence}
      table={table}
      fileName={`${t('planner.timeline.file')} ${plan.title} ${day(from)}`}
      isWithin
    >
      <Timeline label={sentence} rows={rows} now={now} />
      <p className="quiet small">{t('planner.timeline.legend')}</p>
    </Figure>
  );
}
