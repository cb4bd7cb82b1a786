// The patient's plans: what is in each, a request made from one, and a new plan from the library.
import { Button, NativeSelect } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { CarePlan, ServiceRequest } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { getJson, postJson, searchFhir } from '../../api/fhir.ts';
import { useRequestKey } from '../../app/request-key.ts';
import { useKept } from '../../app/use-kept.ts';
import { type Plan, type PlanContext, planOf } from '../../clinical/care-plan.ts';
import { Cards } from '../../shared/cards.tsx';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { usePublishedPlans } from '../library/library-queries.ts';
import { PlanView } from '../requests/plan-view.tsx';
import { useRights } from '../rights.ts';
import { PlanTimeline } from './plan-timeline.tsx';

const MOST = '50';

export function Plans({ patientId }: { readonly patientId: string }) {
  const { t } = useTranslation();
  const plans = useQuery({
    queryKey: ['patient-plans', patientId],
    queryFn: () =>
      searchFhir<CarePlan>('dispatch', 'CarePlan', { patient_guid: patientId, _sort: '-_lastUpdated', _count: MOST }),
  });
  return (
    <>
      <Loaded query={plans}>
        {(found) => (
          <Cards items={found} none={t('planner.plans.none')}>
            {(plan) => <PlanCard key={plan.id} carePlan={plan} patientId={patientId} />}
          </Cards>
        )}
      </Loaded>
      {useRights().mayPlan && <NewPlan patientId={patientId} />}
    </>
  );
}

const STATES = ['draft', 'active', 'on_hold', 'revoked', 'completed'] as const;

interface PlanCardProps {
  readonly carePlan: CarePlan;
  readonly patientId: string;
}

function PlanCard({ carePlan, patientId }: PlanCardProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const key = useRequestKey(`request-${carePlan.id}`);
  const context = useQuery({
    queryKey: ['care-plan', carePlan.id],
    queryFn: async () => (await getJson(`/dispatch/api/v1/careplans/${carePlan.id}/context`)) as PlanContext,
  });
  const make = useMutation({
    mutationFn: () => {
      const body = { careplan_guid: carePlan.id };
      return postJson<ServiceRequest>('/dispatch/api/v1/ServiceRequest', body, key.of(body));
    },
    onSuccess: (request) => navigate({ to: `/plan/requests/${request.id}` }),
    onSettled: (_, error) => key.settled(error),
  });
  const { mayPlan } = useRights();
  const state = STATES.find((each) => each === carePlan.status.replace('-', '_'));
  return (
    <li className="card">
      <Loaded query={context}>
        {(found) => {
          const plan: Plan = planOf(found);
          return (
            <>
              <div className="row">
                <h3>{plan.title || t('planner.plans.untitled')}</h3>
                {state !== undefined && <span className="badge">{t(`planner.plans.state.${state}`)}</span>}
              </div>
              <details>
                <summary>{t('planner.plans.content')}</summary>
                <PlanView plan={plan} />
              </details>
              {found.snapshot !== null && <PlanTimeline context={found} patientId={patientId} />}
              {make.error !== null && <ErrorCard error={make.error} />}
              {mayPlan && found.snapshot !== null && (state === 'active' || state === 'draft') && (
                <p className="actions">
                  <Button loading={make.isPending} onClick={() => make.mutate()}>
                    {t('planner.plans.request')}
                  </Button>
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </li>
  );
}

function NewPlan({ patientId }: { readonly patientId: string }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const key = useRequestKey(`careplan-${patientId}`);
  const [chosen, setChosen, drop] = useKept(`new-plan-${patientId}`, '');
  const library = usePublishedPlans();
  const make = useMutation({
    mutationFn: (canonical: string) => {
      const carePlan = {
        resourceType: 'CarePlan',
        status: 'active',
        intent: 'plan',
        subject: { reference: `Patient/${patientId}` },
        instantiatesCanonical: [canonical],
      };
      return postJson<CarePlan>('/dispatch/api/v1/CarePlan', carePlan, key.of(carePlan));
    },
    onSettled: (_, error) => key.settled(error),
    onSuccess: async () => {
      drop();
      await queries.invalidateQueries({ queryKey: ['patient-plans', patientId] });
    },
  });
  return (
    <section className="card" aria-labelledby="new-plan">
      <h2 id="new-plan">{t('planner.plans.new')}</h2>
      <Loaded query={library}>
        {(plans) => {
          const usable = plans.filter(({ url }) => url !== undefined);
          if (usable.length === 0) return <p>{t('planner.plans.emptyLibrary')}</p>;
          return (
            <>
              <NativeSelect
                label={t('planner.plans.from')}
                value={chosen}
                onChange={({ currentTarget }) => setChosen(currentTarget.value)}
                data={[
                  { value: '', label: t('planner.plans.choose') },
                  ...usable.map(({ url = '', version, title, name }) => ({
                    value: version === undefined ? url : `${url}|${version}`,
                    label: title ?? name ?? url,
                  })),
                ]}
              />
              {make.error !== null && <ErrorCard error={make.error} />}
              <p className="actions">
                <Button disabled={chosen === ''} loading={make.isPending} onClick={() => make.mutate(chosen)}>
                  {t('planner.plans.make')}
                </Button>
              </p>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
