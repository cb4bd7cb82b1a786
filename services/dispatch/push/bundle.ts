// Builds the `collection` Bundle of a push (decision D6; hl7.org/fhir/R5/bundle.html). It has the frozen ServiceRequest
// with its contained resources, one Binary per form, and the Patient cut to what a caregiver needs. Pure.

import { compact, textIn } from '#fhir/json/members.ts';
import { type FhirObject, isPlain, objectOf, objectsOf, omit } from '#fhir/json/objects.ts';
import { isProtected, READER_LABELS } from '#fhir/store/protected-identity.ts';

export interface BundleParts {
  readonly bundleGuid: string;
  /** Base of the full URLs, by which references between the resources resolve inside the bundle. */
  readonly baseUrl: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly serviceRequest: FhirObject;
  readonly patient: FhirObject;
  /**
   * The ordering organisation. It owns the patient's record here, and will own what providers report (decision G12).
   */
  readonly organisationGuid: string;
  /** In their order. */
  readonly forms: readonly { readonly formAttachmentGuid: string; readonly renderReady: string }[];
}

/**
 * Identity, contact data and language of the patient. The ordering organisation is the only other party that is named.
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
  const patient = patientOf(parts);
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

/**
 * The patient with the ordering organisation. Where the identity is protected (docs/adr/0076), no provider learns
 * where the person lives or is treated, nor how to reach them: they ask who ordered. The label says why.
 */
function patientOf({ patient, organisationGuid }: BundleParts): FhirObject {
  if (isProtected(patient)) {
    const security = objectsOf(objectOf(patient['meta'])?.['security']).filter(
      ({ system }) => system !== READER_LABELS,
    );
    return { ...cutPatient(patient, NOT_OF_PROTECTED), meta: { security } };
  }
  const managingOrganization = { reference: `Organization/${organisationGuid}` };
  return { ...cutPatient(patient), managingOrganization };
}

const NOT_OF_PROTECTED = ['address', 'telecom'];

/** Siblings of primitives (`_birthDate`) stay with their elements. */
function cutPatient(patient: FhirObject, without: readonly string[] = []): FhirObject {
  const elements = PATIENT_ELEMENTS.filter((name) => !without.includes(name));
  const kept = elements.flatMap((name) => [name, `_${name}`]);
  return withoutOthers(Object.fromEntries(kept.map((name) => [name, patient[name]]))) ?? {};
}

/**
 * Without the assigner of an identifier, and without references to contained resources, which are not sent (R5 ref-1).
 * Undefined when nothing is left.
 */
function withoutOthers(object: FhirObject): FhirObject | undefined {
  if (textIn(object['reference'])?.startsWith('#') === true) return undefined;
  const members = Object.entries(omit(object, 'assigner'));
  const kept = compact(Object.fromEntries(members.map(([name, value]) => [name, valueWithoutOthers(name, value)])));
  const isLess = Object.keys(kept).length < Object.keys(compact(object)).length;
  // An extension without its value is dropped.
  return isLess && Object.keys(omit(kept, 'url', 'id')).length === 0 ? undefined : kept;
}

function valueWithoutOthers(name: string, value: unknown): unknown {
  if (!Array.isArray(value)) return isPlain(value) ? withoutOthers(value) : value;
  const items = value.map((item) => (isPlain(item) ? withoutOthers(item) : item));
  // The sibling array of primitives keeps its positions, by nulls.
  const left = name.startsWith('_') ? items.map((item) => item ?? null) : items.filter((item) => item !== undefined);
  return left.every((item) => item === null) ? undefined : left;
}
