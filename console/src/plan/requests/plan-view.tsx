// What a plan holds, in words: goals, activities with how often, and what is measured or asked in each.
import { useTranslation } from 'react-i18next';
import type { Plan } from '../../clinical/care-plan.ts';
import { StepList } from '../../clinical/step-list.tsx';
import { timingWords } from '../../clinical/timing.ts';

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
      <ul>
        {activities.map((activity) => {
          const often = timingWords(activity.repeat, t);
          return (
            <li key={activity.id}>
              {activity.title}
              {often !== undefined && <span className="quiet"> – {often}</span>}
              {activity.description !== undefined && <p className="quiet">{activity.description}</p>}
              {activity.steps.length > 0 && <StepList steps={activity.steps} />}
            </li>
          );
        })}
      </ul>
    </>
  );
}
