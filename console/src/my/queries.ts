// What the patient's screens read.
import { useQuery } from '@tanstack/react-query';
import type { CarePlan, Observation, ServiceRequest } from 'fhir/r5';
import { dispatch, identity, read } from '../api/clients.ts';
import { getJson, searchFhir } from '../api/fhir.ts';
import { type Plan, type PlanContext, planOf } from '../clinical/care-plan.ts';

/** The most of each that a screen reads. */
const MOST_PLANS = '20';
const MOST_REQUESTS = '50';
const MOST_VALUES = '500';

export function usePlans() {
  return useQuery({ queryKey: ['plans'], queryFn: readPlans });
}

interface PlansRead {
  readonly plans: readonly Plan[];
  readonly contexts: readonly PlanContext[];
}

async function readPlans(): Promise<PlansRead> {
  const found = await searchFhir<CarePlan>('dispatch', 'CarePlan', { status: 'active,on-hold', _count: MOST_PLANS });
  const contexts = await Promise.all(
    found.map(async ({ id }) => (await getJson(`/dispatch/api/v1/careplans/${id}/context`)) as PlanContext),
  );
  return { contexts, plans: contexts.map(planOf) };
}

export function useObservations() {
  const parameters = { _sort: '-date', _count: MOST_VALUES };
  return useQuery({
    queryKey: ['observations'],
    queryFn: () => searchFhir<Observation>('engine', 'Observation', parameters),
  });
}

export function useForms() {
  return useQuery({
    queryKey: ['forms'],
    queryFn: () => read(dispatch.GET('/api/v1/patient-forms', { params: { query: { per_page: 200 } } })),
  });
}

/** A provider that was asked, and what came of it. */
export interface Carer {
  readonly key: string;
  readonly title: string;
  readonly provider: string;
  readonly providerGuid: string;
  readonly status: 'pushed' | 'accepted';
  readonly progress: string | undefined;
  readonly since: string;
}

export function useCarers() {
  return useQuery({ queryKey: ['carers'], queryFn: readCarers });
}

async function readCarers(): Promise<Carer[]> {
  const requests = await searchFhir<ServiceRequest>('dispatch', 'ServiceRequest', { _count: MOST_REQUESTS });
  return (await Promise.all(requests.filter(isSent).map(carersOf))).flat();
}

/** Only then have providers been asked. */
export function isSent({ status }: ServiceRequest): boolean {
  return status !== 'draft' && status !== 'entered-in-error';
}

async function carersOf(request: ServiceRequest): Promise<Carer[]> {
  const { id = '' } = request;
  const path = { params: { path: { id }, query: { per_page: 200 } } };
  const { data } = await read(dispatch.GET('/api/v1/ServiceRequest/{id}/matches', path));
  return data.flatMap((match) => {
    const { status } = match;
    if (status !== 'accepted' && status !== 'pushed') return [];
    const plan = request.basedOn?.[0]?.display;
    return [
      {
        key: match.match_guid,
        title: request.code?.concept?.text ?? plan ?? '',
        provider: match.provider_name,
        providerGuid: match.provider_guid,
        status,
        progress: match.progress,
        since: match.responded_at ?? match.pushed_at ?? match.updated_at,
      },
    ];
  });
}

/** Names of organisations by their guid. */
export function useOrganisations() {
  return useQuery({
    queryKey: ['organisations'],
    queryFn: async () => {
      const all = await read(identity.GET('/api/public/organisations'));
      return new Map(all.map(({ organisation_guid: guid, name }) => [guid, name]));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useRegistration() {
  return useQuery({ queryKey: ['registration'], queryFn: () => read(identity.GET('/api/patient/registry-status')) });
}
