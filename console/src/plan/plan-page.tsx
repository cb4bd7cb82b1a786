// One plan of the library, whose address can be sent: what is in it, and which version it is.
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { PlanDefinition } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { getJson } from '../api/fhir.ts';
import { dayText } from '../i18n/format.ts';
import { AsJson } from '../shared/as-json.tsx';
import { LoadedScreen } from '../shell/loaded.tsx';
import { Page } from '../shell/page.tsx';
import { planInSnapshot } from './requests/plan-definition.ts';
import { PlanView } from './requests/plan-view.tsx';

export function PlanPage() {
  const { t } = useTranslation();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return (
    <LoadedScreen query={usePlan(id)}>
      {(plan) => (
        <Page title={plan.title ?? plan.name ?? t('planner.plans.untitled')}>
          <p>
            <Link to="/plan/library">{t('planner.library.toPlans')}</Link>
          </p>
          <p className="quiet">
            {[
              ...(plan.version === undefined ? [] : [t('planner.library.version', { version: plan.version })]),
              ...(plan.date === undefined ? [] : [t('planner.library.published', { day: dayText(plan.date) })]),
              ...(plan.status === 'active' ? [] : [t('planner.library.notPublished')]),
            ].join(' · ')}
          </p>
          <section className="card">
            <PlanView plan={planInSnapshot(plan)} />
          </section>
          <AsJson label={t('planner.request.planJson')} value={plan} />
        </Page>
      )}
    </LoadedScreen>
  );
}

function usePlan(id: string) {
  return useQuery({
    queryKey: ['plan-definition', id],
    queryFn: async ({ signal }) =>
      (await getJson(`/engine/api/v1/PlanDefinition/${encodeURIComponent(id)}`, signal)) as PlanDefinition,
  });
}
