// Who asks, and how to reach them, as a PractitionerRole that the finalized ServiceRequest contains (decision L8). It
// names the person who finalized it, and the ordering organisation with its contacts. Pure.

import { compact, textIn } from '#fhir/json/members.ts';
import { type FhirObject, objectOf, objectsOf, parseObject } from '#fhir/json/objects.ts';

export interface RequesterInput {
  readonly organisationGuid: string;
  /** JSON text; undefined when the organisation is not on record. */
  readonly organisation: string | undefined;
  /** The organisation's name at identity, for one that is not on record. */
  readonly unitName: string | undefined;
  readonly name: string | undefined;
  readonly email: string | undefined;
}

/** The id of the contained resource. */
const REQUESTER_ID = 'requester';
/** The most ways to reach somebody that a request shows. */
const MOST_CONTACTS = 10;

export function requesterRole({ organisationGuid, organisation, unitName, name, email }: RequesterInput): FhirObject {
  const unit = organisation === undefined ? {} : parseObject(organisation);
  const own = email === undefined ? [] : [{ system: 'email', value: email }];
  const telecoms = [...own, ...telecomsOf(unit)].slice(0, MOST_CONTACTS);
  return {
    resourceType: 'PractitionerRole',
    id: REQUESTER_ID,
    ...(name === undefined || name.trim() === '' ? {} : { practitioner: { display: name } }),
    organization: compact({ reference: `Organization/${organisationGuid}`, display: textIn(unit['name']) ?? unitName }),
    ...(telecoms.length === 0 ? {} : { contact: [{ telecom: telecoms }] }),
  };
}

/** System and value of the organisation's contacts. */
function telecomsOf(unit: FhirObject): FhirObject[] {
  return objectsOf(unit['contact'])
    .flatMap((contact) => objectsOf(objectOf(contact)?.['telecom']))
    .filter(({ value }) => textIn(value) !== undefined)
    .map(({ system, value, use }) => compact({ system, value, use }));
}
