// The Consent of a patient's own decision (decision L3, docs/adr/0073; hl7.org/fhir/R5/consent.html): what the server
// sets of it, and its plain form.

import { textIn } from '#fhir/json/members.ts';
import { type FhirObject, idOfReference, isObject, objectOf, objectsOf } from '#fhir/json/objects.ts';
import type { Calendar } from '#fhir/primitives/calendar.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { unprocessable } from '#lib/errors.ts';

/** Shows readers that the patient decided it; nothing is decided by it. */
const OWN_TAG = { system: 'https://kedja.dev/codes/tag', code: 'patient-decided' };
/** UTF-16 units. A decision about a hundred organisations has about 10,000. */
const MAX_LENGTH = 65_536;

export interface Decision {
  readonly decision: 'permit' | 'deny';
  /** An organisation or a provider; undefined for everybody. */
  readonly organisationGuid: string | undefined;
  /** `YYYY-MM-DD`, both included. */
  readonly startsOn: string | undefined;
  readonly endsOn: string | undefined;
}

/** What a plain form can say of a Consent; `isSimple` is false where the Consent says more. */
export interface ReadDecision extends Omit<Decision, 'decision'> {
  readonly decision: Decision['decision'] | undefined;
  readonly isActive: boolean;
  readonly isSimple: boolean;
}

/** The Consent of a decision, without what `completeOwn` sets. */
export function consentOf({ decision, organisationGuid, startsOn, endsOn }: Decision): FhirObject {
  const period = {
    ...(startsOn === undefined ? {} : { start: startsOn }),
    ...(endsOn === undefined ? {} : { end: endsOn }),
  };
  return {
    resourceType: 'Consent',
    status: 'active',
    ...(Object.keys(period).length === 0 ? {} : { period }),
    ...(organisationGuid === undefined ? {} : { grantee: [{ reference: `Organization/${organisationGuid}` }] }),
    decision,
  };
}

export function readDecision(consent: FhirObject): ReadDecision {
  const { decision, status } = consent;
  const period = objectOf(consent['period']);
  const grantees = objectsOf(consent['grantee']);
  const named = idOfReference(grantees[0], 'Organization');
  const isForOne = grantees.length === 1 && named !== undefined;
  const isKnown = decision === 'permit' || decision === 'deny';
  return {
    decision: isKnown ? decision : undefined,
    organisationGuid: named,
    startsOn: textIn(period?.['start']),
    endsOn: textIn(period?.['end']),
    isActive: status === 'active',
    isSimple:
      isKnown && (grantees.length === 0 || isForOne) && !NARROWING.some((element) => consent[element] !== undefined),
  };
}

const NARROWING = ['provision', 'modifierExtension', 'implicitRules'];

/**
 * The Consent with the patient as its subject and grantor, and today as the day of the decision. A Consent that names
 * no subject is about the caller.
 * @throws ServiceError `unprocessable` for a Consent about anybody else, and for one that is too long
 */
export function completeOwn(
  source: ResourceText,
  { patientGuid = '', linkedRecords }: Principal,
  site: { readonly calendar: Calendar; readonly now: number },
): ResourceText {
  if (source.text.length > MAX_LENGTH)
    throw unprocessable(`A consent of one's own has at most ${MAX_LENGTH} characters`, 'Consent');
  const { subject, meta, decision, status } = source.resource;
  // Without a decision it would deny everything, which nobody would notice who meant something else.
  if (decision === undefined && status === 'active')
    throw unprocessable("A consent of one's own says 'permit' or 'deny'", 'Consent.decision');
  const own = [patientGuid, ...(linkedRecords?.dispatch ?? [])];
  const named = idOfReference(subject, 'Patient');
  if (subject !== undefined && (named === undefined || !own.includes(named)))
    throw unprocessable('A patient decides about their own data alone', 'Consent.subject');
  const given = isObject(meta) ? meta : {};
  const tags = Array.isArray(given['tag']) ? given['tag'].filter((tag) => !isOwnTag(tag)) : [];
  const completed = {
    ...source.resource,
    // What is no list is left for the validation to name.
    ...(meta === undefined || isObject(meta) ? { meta: { ...given, tag: [...tags, OWN_TAG] } } : {}),
    subject: { reference: `Patient/${patientGuid}` },
    date: site.calendar.dayOf(site.now),
    grantor: [{ reference: `Patient/${patientGuid}` }],
  };
  return readResourceText(JSON.stringify(completed));
}

/** @throws ServiceError `unprocessable` when a Consent that others write claims to be a patient's own decision */
export function requireNoOwnTag(consent: FhirObject): void {
  const tags = objectsOf(objectOf(consent['meta'])?.['tag']);
  if (tags.some(isOwnTag)) throw unprocessable('Only the patient writes what the patient decided', 'Consent.meta.tag');
}

function isOwnTag(tag: unknown): boolean {
  return isObject(tag) && tag['system'] === OWN_TAG.system && tag['code'] === OWN_TAG.code;
}
