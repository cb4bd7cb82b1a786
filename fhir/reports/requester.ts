// Who asks for a pushed request, and how to reach them: dispatch contains them in the ServiceRequest as the
// PractitionerRole `#requester` (decision L8). Pure.
import { objectIn, objectsIn, textIn } from '#fhir/json/members.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Requester {
  readonly person: string | undefined;
  readonly unit: string | undefined;
  readonly contacts: readonly Contact[];
}

interface Contact {
  /** A FHIR code, such as `phone` or `email`. */
  readonly system: string | undefined;
  readonly value: string;
}

/** Of a request that contains no such role, the person as the reference shows it. */
export function requesterOf(serviceRequest: Json): Requester {
  const reference = objectIn(serviceRequest['requester']);
  const role = objectsIn(serviceRequest['contained']).find(
    ({ resourceType, id }) => resourceType === 'PractitionerRole' && id === 'requester',
  );
  return {
    person: textIn(objectIn(role?.['practitioner'])?.['display']) ?? textIn(reference?.['display']),
    unit: textIn(objectIn(role?.['organization'])?.['display']),
    contacts: objectsIn(role?.['contact'])
      .flatMap(({ telecom }) => objectsIn(telecom))
      .flatMap(({ system, value }) => {
        const text = textIn(value);
        return text === undefined ? [] : [{ system: textIn(system), value: text }];
      }),
  };
}
