// The attempts to deliver a request on a time axis. It has dots that arrived, crosses that did not, a tick for the next
// one, and a flag for the answer.
import { useTranslation } from 'react-i18next';
import { Timeline } from '../../../charts/timeline.tsx';
import { momentText } from '../../../i18n/format.ts';
import type { Match } from '../request-queries.ts';

interface AttemptTimelineProps {
  readonly attempts: readonly {
    readonly attempt: number;
    readonly started_at: string;
    readonly outcome: string | null;
  }[];
  readonly match: Match;
}

export function AttemptTimeline({ attempts, match }: AttemptTimelineProps) {
  const { t } = useTranslation();
  const { pushed_at: pushed, responded_at: answered, delivery } = match;
  const next = delivery?.next_at;
  const failed = attempts.filter(({ outcome }) => outcome !== null && outcome !== 'delivered').length;
  const marks = [
    ...attempts.map(({ attempt, started_at: at, outcome }) => ({
      key: `attempt ${attempt}`,
      at: Date.parse(at),
      shape: outcome === null || outcome === 'delivered' ? ('dot' as const) : ('cross' as const),
    })),
    ...(next === null || next === undefined ? [] : [{ key: 'next', at: Date.parse(next), shape: 'tick' as const }]),
    ...(answered === undefined ? [] : [{ key: 'answer', at: Date.parse(answered), shape: 'flag' as const }]),
  ];
  const ends = marks.map(({ at }) => at);
  // The time in which it is tried again: from the push to the last of these.
  const span = pushed === undefined ? [] : [{ key: 'retry', from: Date.parse(pushed), to: Math.max(...ends) }];
  const sentence = t('planner.delivery.picture', { count: attempts.length, failed });
  const row = { key: 'attempts', label: t('planner.delivery.tries'), spans: span, marks };
  return (
    <figure className="plain-figure">
      <Timeline
        label={sentence}
        rows={[row]}
        now={Math.max(...ends)}
        momentText={(at) => momentText(new Date(at).toISOString())}
      />
      <figcaption className="quiet small">
        {sentence} {t('planner.delivery.legend')}
      </figcaption>
    </figure>
  );
}
