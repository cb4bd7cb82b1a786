// The published plans, each with what is in it. A published plan does not change (docs/adr/0021): it is corrected by a
// new version, or taken out of use.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { PlanDefinition } from 'fhir/r5';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dayText } from '../../i18n/format.ts';
import { Cards } from '../../shared/cards.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { planInSnapshot } from '../requests/plan-definition.ts';
import { PlanView } from '../requests/plan-view.tsx';
import { LibraryFailure } from './change/library-failure.tsx';
import { storePlanAs, usePublishedPlans, useRetiredPlans } from './library-queries.ts';

export function PlanList() {
  const { t } = useTranslation();
  const retired = useRetiredPlans().data ?? [];
  const { former } = useSearch({ strict: false }) as { former?: string };
  return (
    <>
      <p className="actions">
        <Button component={Link} to="/plan/library/new">
          {t('planner.library.build')}
        </Button>
      </p>
      <p className="quiet">{t('planner.library.howToCorrect')}</p>
      {former === 'stays' && (
        <p className="note" role="status">
          {t('planner.library.formerStays')}
        </p>
      )}
      <Loaded query={usePublishedPlans()}>
        {(plans) => (
          <Cards items={plans} none={t('planner.library.noPlans')}>
            {(plan) => <PlanCard key={plan.id} plan={plan} />}
          </Cards>
        )}
      </Loaded>
      {retired.length > 0 && (
        <details>
          <summary>{t('planner.library.retiredPlans', { count: retired.length })}</summary>
          <ul className="cards">
            {retired.map((plan) => (
              <PlanCard key={plan.id} plan={plan} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function PlanCard({ plan }: { readonly plan: PlanDefinition }) {
  const { t } = useTranslation();
  const { id = '', title = plan.name ?? '' } = plan;
  const isRetired = plan.status === 'retired';
  return (
    <li className="card">
      <div className="row">
        <h3>{title}</h3>
        {plan.version !== undefined && (
          <span className="badge">{t('planner.library.version', { version: plan.version })}</span>
        )}
        {isRetired && <span className="badge">{t('planner.library.outOfUse')}</span>}
      </div>
      {plan.date !== undefined && (
        <p className="quiet">{t('planner.library.published', { day: dayText(plan.date) })}</p>
      )}
      <details>
        <summary>{t('planner.plans.content')}</summary>
        <PlanView plan={planInSnapshot(plan)} />
      </details>
      <p className="actions">
        {!isRetired && plan.url !== undefined && (
          <Button
            renderRoot={(props) => <Link to="/plan/library/new" search={{ of: id }} {...props} />}
            variant="default"
            aria-label={t('planner.library.newVersionOf', { title })}
          >
            {t('planner.library.newVersion')}
          </Button>
        )}
        <PlanUseButton id={id} title={title} isRetired={isRetired} />
      </p>
    </li>
  );
}

interface PlanUseButtonProps {
  readonly id: string;
  readonly title: string;
  readonly isRetired: boolean;
}

/** Taking it out of use is asked for; taking it back is not. */
function PlanUseButton({ id, title, isRetired }: PlanUseButtonProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const act = useMutation({
    mutationFn: () => storePlanAs(id, isRetired ? 'active' : 'retired'),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['plan-definitions'] }),
  });
  const failure = act.error !== null && <LibraryFailure error={act.error} />;
  return (
    <>
      <button
        type="button"
        className="plain-button"
        disabled={act.isPending}
        aria-label={t(isRetired ? 'planner.library.restoreOf' : 'planner.library.retirePlanOf', { title })}
        onClick={() => (isRetired ? act.mutate() : setAsking(true))}
      >
        {t(isRetired ? 'planner.library.restore' : 'planner.library.retirePlan')}
      </button>
      {isAsking ? (
        <ConfirmDialog
          title={t('planner.library.retireSure', { title })}
          effect={t('planner.library.retireEffect')}
          confirm={t('planner.library.retireNow')}
          act={act}
          onClose={() => {
            setAsking(false);
            act.reset();
          }}
        >
          {failure}
        </ConfirmDialog>
      ) : (
        failure
      )}
    </>
  );
}
