// The `collection` Bundle of a push (decision D6; hl7.org/fhir/R5/bundle.html): the frozen ServiceRequest with what is
// contained in it, one Binary per form with the render-ready JSON, and the Patient cut to what a caregiver needs. Pure.
import { compact, type FhirObject, isPlain, omit, textOf } from '../shared/json.ts';

export interface BundleParts {
  readonly bundleGuid: string;
  /** Base of the full URLs, so that the resources' references to each other resolve inside the bundle. */
  readonly baseUrl: string;
  /** Milliseconds. */
  readonly at: number;
  readonly serviceRequest: FhirObject;
  readonly patient: FhirObject;
  /** Who orders: whose record the patient's data is here, and to whom what is reported will belong (decision G12). */
  readonly organisationGuid: string;
  /** In their order. */
  readonly forms: readonly { readonly formAttachmentGuid: string; readonly renderReady: string }[];
}

/**
 * Who the patient is, how to reach them and how to speak with them; of others, the ordering organisation alone is
 * named.
 */
const PATIENT_ELEMENTS = [
  'resourceType',
  'id',
  'identifier',
  'active',
  'name',
  'telecom',
  'gender',
  'birthDate',
  'deceasedBoolean',
  'deceasedDateTime',
  'address',
  'communication',
];

export function buildPushBundle(parts: BundleParts): FhirObject {
  const { bundleGuid, baseUrl, at, serviceRequest, forms } = parts;
  const binaries = forms.map(({ formAttachmentGuid, renderReady }) => ({
    resourceType: 'Binary',
    id: formAttachmentGuid,
    contentType: 'application/json',
    data: Buffer.from(renderReady).toString('base64'),
  }));
  const managingOrganization = { reference: `Organization/${parts.organisationGuid}` };
  const patient = { ...cutPatient(parts.patient), managingOrganization };
  const resources: readonly FhirObject[] = [serviceRequest, patient, ...binaries];
  return {
    resourceType: 'Bundle',
    id: bundleGuid,
    type: 'collection',
    timestamp: new Date(at).toISOString(),
    entry: resources.map((resource) => ({
      fullUrl: `${baseUrl}/${String(resource['resourceType'])}/${String(resource['id'])}`,
      resource,
    })),
  };
}

/** Primitive siblings (`_birthDate`) stay with their elements. */
function cutPatient(patient: FhirObject): FhirObject {
  const kept = PATIENT_ELEMENTS.flatMap((name) => [name, `_${name}`]);
  return withoutOthers(Object.fromEntries(kept.map((name) => [name, patient[name]]))) ?? {};
}

/**
 * Less who assigned an identifier, and less references to what the patient's record contains, as that stays behind (R5
 * ref-1); undefined when nothing is left.
 */
function withoutOthers(object: FhirObject): FhirObject | undefined {
  if (textOf(object['reference'])?.startsWith('#') === true) return undefined;
  const members = Object.entries(omit(object, 'assigner'));
  const kept = compact(Object.fromEntries(members.map(([name, value]) => [name, valueWithoutOthers(name, value)])));
  const isLess = Object.keys(kept).length < Object.keys(compact(object)).length;
  // An extension is nothing without its value.
  return isLess && Object.keys(omit(kept, 'url', 'id')).length === 0 ? undefined : kept;
}

function valueWithoutOthers(name: string, value: unknown): unknown {
  if (!Array.isArray(value)) return isPlain(value) ? withoutOthers(value) : value;
  const items = value.map((item) => (isPlain(item) ? withoutOthers(item) : item));
  // A primitive's sibling keeps its place beside it.
  const left = name.startsWith('_') ? items.map((item) => item ?? null) : items.filter((item) => item !== undefined);
  return left.every((item) => item === null) ? undefined : left;
}
