// The activities of a plan for who works with it, each with how often and with its steps.
import { useTranslation } from 'react-i18next';
import type { PlanActivity } from './care-plan.ts';
import { StepList } from './step-list.tsx';
import { timingWords } from './timing.ts';

export function ActivityList({ activities }: { readonly activities: readonly PlanActivity[] }) {
  const { t } = useTranslation();
  return (
    <ul>
      {activities.map((activity) => {
        const often = timingWords(activity.repeat, t);
        return (
          <li key={activity.id}>
            {activity.title}
            {often !== undefined && <span className="quiet"> – {often}</span>}
            {activity.description !== undefined && <p className="quiet">{activity.description}</p>}
            {activity.steps.length > 0 && <StepList steps={activity.steps} optional={t('timing.optional')} />}
          </li>
        );
      })}
    </ul>
  );
}
