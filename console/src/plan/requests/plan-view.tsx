// What a plan holds, in words: goals, activities with how often, and what is measured or asked in each.
import { useTranslation } from 'react-i18next';
import { ActivityList } from '../../clinical/activity-list.tsx';
import type { Plan } from '../../clinical/care-plan.ts';

export function PlanView({ plan }: { readonly plan: Pick<Plan, 'goals' | 'activities'> }) {
  const { t } = useTranslation();
  const { goals, activities } = plan;
  return (
    <>
      {goals.length > 0 && (
        <>
          <p className="label">{t('planner.plan.goals')}</p>
          <ul>
            {goals.map(({ id, text }) => (
              <li key={id}>{text}</li>
            ))}
          </ul>
        </>
      )}
      <p className="label">{t('planner.plan.activities')}</p>
      {activities.length === 0 && <p className="quiet">{t('planner.plan.noActivities')}</p>}
      <ActivityList activities={activities} />
    </>
  );
}
