// The FHIR ServiceRequest of a finalized request (decisions D3, D6). It contains the CarePlan, the edited
// PlanDefinition and the forms with their ValueSets and refers to them, so that a provider needs no other resource.
// Pure. A ValueSet that a form names by an address is fetched from the plan service beforehand. One that cannot be
// listed refuses the whole finalize, as the form could not be shown without it.

import { type FhirObject, objectsOf, omit } from '#fhir/json/objects.ts';
import { pruneContained } from '../shared/contained.ts';
import { hoist } from '../shared/hoist.ts';

export interface FreezeInput {
  /** The ServiceRequest of the draft. */
  readonly draft: FhirObject;
  readonly carePlan: FhirObject;
  readonly careplanGuid: string;
  readonly planDefinition: FhirObject;
  /** In their order. */
  readonly questionnaires: readonly FhirObject[];
  /** The PractitionerRole of who asks. */
  readonly requester: FhirObject;
  /** When it was finalized, as a FHIR dateTime. */
  readonly authoredOn: string;
}

/** Ids of contained resources that only this server assigns; `form-1`, `form-2` … for forms, `requester`. */
export const RESERVED_IDS = /^(?:careplan|plan|form|requester)(?:-|$)/;

export function buildFrozen(input: FreezeInput): FhirObject {
  const { draft, careplanGuid } = input;
  // Activities of earlier requests are no part of this request.
  const carePlan = hoist(pruneContained(omit(input.carePlan, 'activity')), 'careplan');
  const plan = hoist(input.planDefinition, 'plan');
  const forms = input.questionnaires.map((questionnaire, index) => hoist(questionnaire, `form-${index + 1}`));
  const hoisted = [carePlan, plan, ...forms];
  const ownContained = objectsOf(draft['contained']);
  const references = [plan, ...forms, { resource: input.requester }].map(({ resource }) => ({
    reference: { reference: `#${String(resource['id'])}` },
  }));
  return {
    resourceType: 'ServiceRequest',
    id: draft['id'],
    ...(draft['meta'] === undefined ? {} : { meta: draft['meta'] }),
    ...omit(draft, 'resourceType', 'id', 'meta'),
    contained: [
      ...ownContained,
      ...hoisted.flatMap(({ resource, contained }) => [resource, ...contained]),
      input.requester,
    ],
    basedOn: [
      { reference: '#careplan' },
      { reference: `CarePlan/${careplanGuid}` },
      ...objectsOf(draft['basedOn']).filter(({ reference }) => reference !== `CarePlan/${careplanGuid}`),
    ],
    status: 'active',
    authoredOn: input.authoredOn,
    supportingInfo: [...objectsOf(draft['supportingInfo']), ...references],
  };
}
