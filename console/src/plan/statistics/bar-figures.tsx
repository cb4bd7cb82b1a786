// The pictures of counts: the funnel of requests with its exits, the age of what waits, attempts by what came of them.
import { useTranslation } from 'react-i18next';
import { Bars } from '../../charts/bars.tsx';
import { Figure } from '../../charts/figure.tsx';
import { numberText } from '../../i18n/format.ts';
import { useReasonText } from '../requests/sending/reason-text.ts';
import type { Statistics } from './statistics-page.tsx';

interface FigureOf {
  readonly numbers: Statistics;
}

const STEPS = ['made', 'finalized', 'matched', 'pushed', 'answered', 'accepted', 'completed'] as const;
const EXITS = ['revoked', 'rejected', 'expired'] as const;

export function Funnel({ numbers: { steps, exits, from, to } }: FigureOf) {
  const { t } = useTranslation();
  const part = (value: number) => (steps.made === 0 ? undefined : `${Math.round((value / steps.made) * 100)} %`);
  const bars = [
    ...STEPS.map((name) => ({
      key: name,
      label: t(`planner.statistics.step.${name}`),
      value: steps[name],
      note: part(steps[name]),
    })),
    ...EXITS.map((name) => ({
      key: name,
      label: t(`planner.statistics.exit.${name}`),
      value: exits[name],
      note: part(exits[name]),
      isAside: true,
    })),
  ];
  return (
    <Figure
      title={t('planner.statistics.funnel')}
      sentence={
        steps.made === 0
          ? t('planner.statistics.nothing', { from, to })
          : t('planner.statistics.funnelText', {
              from,
              to,
              made: steps.made,
              accepted: steps.accepted,
              completed: steps.completed,
            })
      }
      table={{
        head: [t('planner.statistics.what'), t('planner.statistics.requests')],
        rows: bars.map(({ label, value }) => [label, value]),
      }}
      fileName={`${t('planner.statistics.funnel')} ${from} ${to}`}
    >
      {steps.made > 0 && <Bars bars={bars} />}
    </Figure>
  );
}

export function Waiting({ numbers: { waiting, from, to } }: FigureOf) {
  const { t } = useTranslation();
  const bars = waiting.map(({ up_to_hours: hours, count }, index) => {
    const before = waiting[index - 1]?.up_to_hours ?? 0;
    const label =
      hours === null ? t('planner.statistics.longer', { hours: hoursText(before) }) : spanText(before, hours);
    return { key: String(hours), label, value: count };
  });
  const all = waiting.reduce((sum, { count }) => sum + count, 0);
  const old = waiting
    .filter(({ up_to_hours: hours }) => hours === null || hours > 72)
    .reduce((sum, { count }) => sum + count, 0);
  return (
    <Figure
      title={t('planner.statistics.waiting')}
      sentence={
        all === 0 ? t('planner.statistics.noneWaiting') : t('planner.statistics.waitingText', { count: all, old })
      }
      table={{
        head: [t('planner.statistics.waited'), t('planner.statistics.pushes')],
        rows: bars.map(({ label, value }) => [label, value]),
      }}
      fileName={`${t('planner.statistics.waiting')} ${from} ${to}`}
    >
      {all > 0 && <Bars bars={bars} />}
    </Figure>
  );

  function hoursText(hours: number): string {
    return hours >= 48
      ? t('planner.statistics.days', { count: hours / 24 })
      : t('planner.statistics.hours', { count: hours });
  }

  function spanText(before: number, hours: number): string {
    return before === 0
      ? t('planner.statistics.below', { hours: hoursText(hours) })
      : t('planner.statistics.between', { low: hoursText(before), high: hoursText(hours) });
  }
}

export function Attempts({ numbers: { attempts, from, to } }: FigureOf) {
  const { t } = useTranslation();
  const reasonText = useReasonText();
  const nameOf = (outcome: string) => (outcome === 'delivered' ? t('planner.delivery.delivered') : reasonText(outcome));
  const milliseconds = (value: number | null) => (value === null ? '–' : `${numberText(value)} ms`);
  const all = attempts.reduce((sum, { count }) => sum + count, 0);
  const arrived = attempts.find(({ outcome }) => outcome === 'delivered');
  return (
    <Figure
      title={t('planner.statistics.attempts')}
      sentence={
        all === 0
          ? t('planner.statistics.noAttempts')
          : t('planner.statistics.attemptsText', {
              count: all,
              arrived: arrived?.count ?? 0,
              p50: milliseconds(arrived?.p50_ms ?? null),
              p95: milliseconds(arrived?.p95_ms ?? null),
            })
      }
      table={{
        head: [t('planner.delivery.outcome'), t('planner.statistics.count'), 'p50 (ms)', 'p95 (ms)'],
        rows: attempts.map(({ outcome, count, p50_ms: p50, p95_ms: p95 }) => [
          nameOf(outcome),
          count,
          p50 ?? '',
          p95 ?? '',
        ]),
      }}
      fileName={`${t('planner.statistics.attempts')} ${from} ${to}`}
    >
      {all > 0 && (
        <Bars
          bars={attempts.map(({ outcome, count, p50_ms: p50, p95_ms: p95 }) => ({
            key: outcome,
            label: nameOf(outcome),
            value: count,
            note: t('planner.statistics.took', { p50: milliseconds(p50), p95: milliseconds(p95) }),
            isAside: outcome !== 'delivered',
          }))}
        />
      )}
    </Figure>
  );
}
