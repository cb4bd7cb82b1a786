// The patient's plan in plain words: goals, this week, and what is done why.
import { useTranslation } from 'react-i18next';
import { type Plan, weekOf } from '../../clinical/care-plan.ts';
import { StepList, type StepListProps } from '../../clinical/step-list.tsx';
import { momentWords, timingWords } from '../../clinical/timing.ts';
import { datesOfWeek, dayOf } from '../../clinical/week-days.ts';
import { longDayText } from '../../i18n/format.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { usePlans } from '../queries.ts';

export function PlanPage() {
  const { t } = useTranslation();
  return (
    <Page title={t('plan.title')}>
      <Loaded query={usePlans()}>
        {({ plans }) =>
          plans.length === 0 ? (
            <Empty>{t('plan.none')}</Empty>
          ) : (
            <>
              <Week plans={plans} />
              {plans.map((plan) => (
                <PlanCard key={plan.guid} plan={plan} />
              ))}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Week({ plans }: { readonly plans: readonly Plan[] }) {
  const { t } = useTranslation();
  const now = new Date();
  const { everyDay, days, someDay, rare } = weekOf(plans);
  const dates = datesOfWeek(now);
  const special = days.map((each, index) => ({ ...each, date: dates[index] ?? now }));
  return (
    <section aria-labelledby="week">
      <h2 id="week">{t('plan.week')}</h2>
      <StepCard title={t('plan.everyDay')} steps={everyDay} words={momentWords} />
      <ol className="week">
        {special
          .filter(({ steps }) => steps.length > 0)
          .map(({ day, date, steps }) => (
            <li key={day} aria-current={day === dayOf(now) ? 'date' : undefined}>
              <h3>
                {longDayText(date)} {day === dayOf(now) && <span className="badge strong">{t('plan.today')}</span>}
              </h3>
              <StepList steps={steps} words={momentWords} />
            </li>
          ))}
      </ol>
      <StepCard title={t('plan.someDay')} steps={someDay} />
      <StepCard title={t('plan.rare')} steps={rare} />
    </section>
  );
}

interface StepCardProps extends StepListProps {
  readonly title: string;
}

function StepCard({ title, ...list }: StepCardProps) {
  if (list.steps.length === 0) return null;
  return (
    <div className="card">
      <h3>{title}</h3>
      <StepList {...list} />
    </div>
  );
}

function PlanCard({ plan }: { readonly plan: Plan }) {
  const { t } = useTranslation();
  const period = [plan.start, plan.end].filter((day) => day !== undefined);
  return (
    <div>
      <h2>{plan.title}</h2>
      {!plan.isActive && <p>{t('plan.paused')}</p>}
      {period.length > 0 && <p className="quiet">{t('plan.period', { from: plan.start ?? '', to: plan.end ?? '' })}</p>}
      {plan.goals.length > 0 && (
        <div className="card">
          <h3>{t('plan.goals')}</h3>
          <ul>
            {plan.goals.map(({ id, text }) => (
              <li key={id}>{text}</li>
            ))}
          </ul>
        </div>
      )}
      {plan.activities.map((activity) => {
        const often = timingWords(activity.repeat, t);
        return (
          <div key={activity.id} className="card">
            <h3>{activity.title}</h3>
            {activity.description !== undefined && <p>{activity.description}</p>}
            {often !== undefined && <p className="quiet">{often}</p>}
            {activity.steps.length > 0 && <StepList steps={activity.steps} />}
          </div>
        );
      })}
    </div>
  );
}
