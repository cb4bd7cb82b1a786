// The published plans, each with what is in it.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { dayText } from '../../i18n/format.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty } from '../../shell/page.tsx';
import { planInSnapshot } from '../requests/plan-definition.ts';
import { PlanView } from '../requests/plan-view.tsx';
import { usePublishedPlans } from './library-queries.ts';

export function PlanList() {
  const { t } = useTranslation();
  return (
    <>
      <p className="actions">
        <Button component={Link} to="/plan/library/new">
          {t('planner.library.build')}
        </Button>
      </p>
      <Loaded query={usePublishedPlans()}>
        {(plans) =>
          plans.length === 0 ? (
            <Empty>{t('planner.library.noPlans')}</Empty>
          ) : (
            <ul className="cards">
              {plans.map((plan) => (
                <li key={plan.id} className="card">
                  <div className="row">
                    <h3>{plan.title ?? plan.name}</h3>
                    {plan.version !== undefined && (
                      <span className="badge">{t('planner.library.version', { version: plan.version })}</span>
                    )}
                  </div>
                  {plan.date !== undefined && (
                    <p className="quiet">{t('planner.library.published', { day: dayText(plan.date) })}</p>
                  )}
                  <details>
                    <summary>{t('planner.plans.content')}</summary>
                    <PlanView plan={planInSnapshot(plan)} />
                  </details>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}
