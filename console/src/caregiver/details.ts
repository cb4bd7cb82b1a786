// The plan of care of an accepted task, as far as screens use it (docs/reference/engine/provider-tasks.md).
import { useQuery } from '@tanstack/react-query';
import type { Annotation, CarePlan, CodeableConcept, ServiceRequest } from 'fhir/r5';
import { engine, read } from '../api/clients.ts';
import { type Plan, type PlanContext, planOf } from '../clinical/care-plan.ts';
import type { Form } from '../forms/form.ts';
import { atTask } from './queries.ts';

export interface Measures {
  readonly form: Form;
  /** The code of the Observation, by the `link_id` of its value. */
  readonly codes: Readonly<Record<string, CodeableConcept>>;
}

interface CarePlanDetails {
  readonly request_guid: string;
  readonly service_request: ServiceRequest;
  readonly care_plan: CarePlan | null;
  readonly plan: PlanContext['snapshot'];
  readonly measures: Measures | null;
  readonly questionnaires: readonly { readonly url?: string; readonly version?: string; readonly id?: string }[];
  readonly forms: readonly Form[];
}

export interface Details {
  readonly plan: Plan;
  readonly isUrgent: boolean;
  readonly notes: readonly string[];
  readonly measures: Measures | undefined;
  readonly forms: readonly Form[];
}

export function useDetails(guid: string, isShown: boolean) {
  return useQuery({
    queryKey: ['task-details', guid],
    queryFn: async () =>
      detailsOf(
        (await read(
          engine.GET('/api/v1/provider-tasks/{receipt_token}/careplan-details', atTask(guid)),
        )) as unknown as CarePlanDetails,
      ),
    enabled: isShown,
    // It was frozen when the request was finalized.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function detailsOf({ service_request: request, care_plan: carePlan, plan, measures, forms, ...rest }: CarePlanDetails) {
  const careplan = carePlan ?? { resourceType: 'CarePlan', status: 'active', intent: 'plan', subject: {} };
  return {
    plan: planOf({ careplan_guid: rest.request_guid, careplan, snapshot: plan }),
    isUrgent: request.priority !== undefined && request.priority !== 'routine',
    notes: (request.note ?? []).map(({ text }: Annotation) => text).filter((text) => text !== ''),
    measures: measures ?? undefined,
    forms,
  } satisfies Details;
}
